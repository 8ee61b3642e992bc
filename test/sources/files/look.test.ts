import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openFiles } from "../../../src/sources/files/source.ts";
import { filesRead, filesSettings } from "../../../src/sources/files/schema.ts";
import { SetClock } from "../../kit/clock.ts";
import { never } from "../../kit/outcome.ts";
import { openContext, poll } from "../reading.ts";
import { DropFolder } from "./drop-folder.ts";

let folder: DropFolder;
const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
beforeEach(async () => {
  folder = await DropFolder.make(clock);
});
afterEach(() => folder[Symbol.asyncDispose]());

async function catalog() {
  const source = await openFiles(filesSettings.parse({ folder: folder.path }), openContext(clock));
  return source.catalog!;
}

describe("files that are looked at", () => {
  it("are one table for each pattern of names, whether they wait or were read", async () => {
    await folder.drop("customers_20260301.csv", "no;name\nC1;a\n");
    await folder.drop("customers_2026-03-02.csv", "no;name\nC1;a\n");
    await folder.drop("orders.xml", "<L/>");
    await folder.drop("readme.md", "x");
    await poll(await folder.stream({ files: "customers_20260301.csv" }));
    expect(await (await catalog()).tables(never)).toEqual(["customers_*.csv", "orders.xml"]);
    await expect((await catalog()).table("x_*.csv", never)).rejects.toMatchObject({ code: "E_SOURCE_TABLE" });
  });

  it.each<[string, string | Buffer, object, readonly string[]]>([
    [
      "a.csv",
      Buffer.from("KdNr;Name;Umsatz;Datum\nK1;M\xfcller;1.234,50;01.02.2026\nK2;M\xfcller;5,00;3.12.2026\n", "latin1"),
      {
        format: "csv",
        encoding: "cp1252",
        separator: ";",
        numbers: ["Umsatz"],
        decimal: ",",
        dates: { Datum: "DD.MM.YYYY" },
      },
      ["KdNr"],
    ],
    ["a.csv", 'name,no\n"a, b",1\n"c",2\n', { format: "csv", separator: "," }, ["no"]],
    ["a.txt", "no\tname\n1\ta\n2\tb\n", { format: "csv", separator: "\t" }, ["no"]],
    ["a.csv", 'no;name\n1;Rohr 1/2" x\n2;b\n', { format: "csv", separator: ";", strayQuotes: "text" }, ["no"]],
    [
      "a.csv",
      "name;cust_no;contact_no\na;1;1\na;1;2\nb;2;1\n",
      { format: "csv", separator: ";" },
      ["cust_no", "contact_no"],
    ],
    [
      "a.csv",
      Buffer.from("\uFEFFno;name\r\n1;ü\r\n2;b\r\n", "utf16le"),
      { format: "csv", encoding: "utf16le", separator: ";" },
      ["no"],
    ],
    ["a.ndjson", '{"id":1,"a":{"b":2}}\n{"id":2}\n', { format: "ndjson" }, ["id"]],
    ["a.json", '{"meta":{"n":2},"data":{"rows":[{"id":1},{"id":2}]}}', { format: "json", rows: "data.rows" }, ["id"]],
    ["a.json", '[{"id":"a"},{"id":"b"}]', { format: "json" }, ["id"]],
    ["a.xml", '<L><C no="1"><N>a</N></C><C no="2"><N>a</N></C></L>', { format: "xml", rows: "L.C" }, ["no"]],
  ])("show their words and their key: %s %#", async (name, content, words, key) => {
    await folder.drop(name, content);
    const outline = await (await catalog()).table(name, never);
    expect(outline.read).toEqual({ files: name, kind: "delta", ...words });
    expect(outline.key).toEqual(key);
    // What is proposed can be read.
    const read = filesRead.parse({ ...outline.read, key: [...outline.key], ready: "atOnce" });
    const source = await openFiles(filesSettings.parse({ folder: folder.path }), openContext(clock));
    expect((await poll(source.stream("it", read))).changes.length).toBeGreaterThan(1);
  });

  it("with a header alone show their columns", async () => {
    await folder.drop("a.csv", '"no";"name"\r\n');
    expect((await (await catalog()).table("a.csv", never)).columns.map(({ name }) => name)).toEqual(["no", "name"]);
  });
});
