import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { poll } from "../reading.ts";
import { readSchema } from "../../../src/sources/files/schema.ts";
import { DropFolder } from "./drop-folder.ts";
import { SetClock } from "../../kit/clock.ts";
import { never } from "../../kit/outcome.ts";

let folder: DropFolder;
const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));

beforeEach(async () => {
  folder = await DropFolder.make(clock);
});
afterEach(() => folder[Symbol.asyncDispose]());

describe("an odd file", () => {
  it.each(["DD.MM.YYYY HH:MM", "D.M.YYYY", "HH:mm"])("has no dates like %s: the sync file is refused", (pattern) => {
    const read = { files: "*.csv", kind: "full", format: "csv", key: "no", dates: { at: pattern } };
    expect(() => readSchema.parse(read)).toThrow(/MM is the month, mm the minute/);
  });

  it("with a wrong value in a record that has a key sets that record aside by its key", async () => {
    await folder.drop("customers.csv", "no;name;n\nC1;a;1\nC4;d;x\nC5;e;2\n");
    const { batches, keys } = await poll(await folder.stream({ numbers: ["n"] }));
    expect(keys).toEqual(["C1", "C5"]);
    expect(batches.flatMap(({ unreadable = [] }) => unreadable)).toEqual([
      { key: "C4", place: "customers.csv:3", reason: "n holds no number with the decimal sign ." },
    ]);
  });

  it.each([
    [".", ["1234.5", "1,234.50", "12,34,567.00", "1 234"], ["1234,56", "1,5", "12,3456", "1,23,4"]],
    [",", ["1234,5", "1.234,50", "12.34.567,00", "1\u00a0234"], ["1234.56", "1.5", "12.3456", "1.234.5,6"]],
  ])("with the other decimal sign than %s in a number sets the record aside", async (decimal, good, bad) => {
    const lines = [...good, ...bad].map((value, at) => `C${at};${value}\n`).join("");
    await folder.drop("customers.csv", `no;n\n${lines}`);
    const { batches, changes } = await poll(await folder.stream({ numbers: ["n"], decimal }));
    expect(changes.map((change) => change.kind === "upsert" && change.row["n"])).toEqual([
      "1234.5",
      "1234.50",
      "1234567.00",
      "1234",
    ]);
    expect(batches.flatMap(({ unreadable = [] }) => unreadable)).toHaveLength(bad.length);
  });

  it("with lines of nothing but separators, as a spreadsheet leaves behind, has no record in them", async () => {
    await folder.drop("customers.csv", "no;name\nC1;a\n;\n ; \n;;;\n");
    const stream = await folder.stream({ kind: "full" });
    expect((await poll(stream)).keys).toEqual(["C1"]);
    expect(await stream.keyless!(never)).toEqual([]);
    expect(await folder.names("failed")).toEqual([]);
  });

  it("with a dot in the name of its key column is read", async () => {
    await folder.drop("customers.csv", "Kd.Nr.;Name\nC1;a\n");
    const stream = await folder.stream({ key: "Kd.Nr." });
    expect((await poll(stream)).keys).toEqual(["C1"]);
    expect(await stream.readOne("C1", never)).toEqual({ "Kd.Nr.": "C1", Name: "a" });
  });

  it("with a list where its key should be keeps that record as a bad line, and reads all others", async () => {
    await folder.drop("c.json", '[{"no":["C1"]},{"no":{"a":1}},{"no":"C2"}]');
    const stream = await folder.stream({ files: "*.json", format: "json" });
    expect((await poll(stream)).keys).toEqual(["C2"]);
    expect((await folder.text("failed", ".lines.ndjson")).trim().split("\n")).toHaveLength(2);
  });

  it("with columns named like parts of every object is read whole", async () => {
    await folder.drop("customers.csv", "no;__proto__;constructor\nC1;a;b\n");
    const { changes } = await poll(await folder.stream({}));
    const [row] = changes.map((change) => change.kind === "upsert" && Object.entries(change.row));
    expect(row).toEqual([
      ["no", "C1"],
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
  });

  it.each([
    ["utf8", Buffer.from("no;name\nC1;a\nC2;M\xfcller\n", "latin1"), "customers.csv:3: the file is not UTF-8"],
    ["cp1252", Buffer.from("\uFEFFname;no\nMüller;C1\n"), "customers.csv:1: the file begins with the mark of UTF-8"],
    ["latin1", Buffer.from("\uFEFFname;no\nMüller;C1\n"), "customers.csv:1: the file begins with the mark of UTF-8"],
    ["cp1252", Buffer.from("no;name\nC1;\x81\n", "latin1"), "customers.csv:2: the file is not Windows-1252"],
    ["utf16le", Buffer.from("no;name\nC1;\ud800x\n", "utf16le"), "customers.csv:2: the file is not UTF-16"],
  ])("that is not %s is refused with its line, and nothing of it is used", async (encoding, bytes, told) => {
    await folder.drop("customers.csv", bytes);
    expect((await poll(await folder.stream({ encoding }))).keys).toEqual([]);
    expect(await folder.text("failed", ".error.txt")).toContain(told);
  });

  it("that is XML and declares another encoding is refused", async () => {
    await folder.drop("c.xml", '<?xml version="1.0" encoding="ISO-8859-1"?><L><C no="C1"/><C no="C2"/></L>');
    const stream = await folder.stream({ files: "*.xml", format: "xml", rows: "L.C" });
    expect((await poll(stream)).keys).toEqual([]);
    expect(await folder.text("failed", ".error.txt")).toContain("the file says that it is ISO-8859-1");
  });

  it("that is a link or a pipe is none, and holds up nothing", async () => {
    await symlink("/etc/hostname", join(folder.path, "customers_1.csv"));
    execFileSync("mkfifo", [join(folder.path, "customers_2.csv")]);
    await folder.drop("customers_3.csv", "no;name\nC1;a\n");
    expect((await poll(await folder.stream({}))).keys).toEqual(["C1"]);
  });

  it("with large records gives small batches", async () => {
    const note = "x".repeat(1_000_000);
    await folder.drop(
      "customers.csv",
      `no;note\n${Array.from({ length: 20 }, (_, at) => `C${at};${note}\n`).join("")}`,
    );
    const stream = await folder.stream({});
    const { batches, keys } = await poll(stream);
    expect(keys).toHaveLength(20);
    expect(Math.max(...batches.map(({ changes }) => JSON.stringify(changes).length))).toBeLessThan(10_000_000);
    expect((await stream.readOne("C7", never))?.["note"]).toBe(note);
  });
});
