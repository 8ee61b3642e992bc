import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { allKeys, poll } from "../reading.ts";
import { filesRead } from "../../../src/sources/files/schema.ts";
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
    expect(() => filesRead.parse(read)).toThrow(/MM is the month, mm the minute/);
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
    [
      "utf8",
      Buffer.from("no;name\nC1;a\n", "utf16le"),
      "customers.csv:1: the file is in UTF-16; say `encoding: utf16le`",
    ],
    ["cp1252", Buffer.from("\uFEFFno;name\nC1;\xfc\n", "utf16le"), "customers.csv:1: the file is in UTF-16; say"],
    ["utf8", Buffer.from("\uFEFFno;name\n", "utf16le").swap16(), "the file is in UTF-16 with the high byte first"],
    ["utf16le", Buffer.from("no;name\nC1;\ud800x\n", "utf16le"), "customers.csv:2: the file is not UTF-16"],
  ])("that is not %s is refused with its line, and nothing of it is used", async (encoding, bytes, told) => {
    await folder.drop("customers.csv", bytes);
    expect((await poll(await folder.stream({ encoding }))).keys).toEqual([]);
    expect(await folder.text("failed", ".error.txt")).toContain(told);
  });

  it.each([
    ["cp1252", Buffer.from("no;name\nC1;a\nC2;Müller\n"), "customers.csv:3: the file holds UTF-8: the bytes c3 bc"],
    ["latin1", Buffer.from("no;name\nC1;a\nC2;Müller\n"), "customers.csv:3: the file holds UTF-8: the bytes c3 bc"],
    [
      "cp1252",
      Buffer.from(`no;name\n${"C1;a\n".repeat(30_000)}C2;10 °C\n`),
      "customers.csv:30002: the file holds UTF-8",
    ],
    [
      "cp1252",
      Buffer.concat([Buffer.from("no;name\nC1;M\xfcller\n", "latin1"), Buffer.from("C2;Müller\n")]),
      "customers.csv:3: the file holds UTF-8",
    ],
    [
      "cp1252",
      Buffer.from("no;name\nC1;śń\nC2;ż\n"),
      "customers.csv:2: all text above ASCII in the file is valid UTF-8",
    ],
    ["cp1252", Buffer.from("no;name\nC1;ÖBB\n"), "customers.csv:2: all text above ASCII in the file is valid UTF-8"],
    [
      "latin1",
      Buffer.from("no;name\nC1;M\xfcller\nC2;\x80 5\n", "latin1"),
      "customers.csv:3: the file holds characters of Windows-1252",
    ],
  ])("that is %s by its words and another encoding by its bytes is refused: %#", async (encoding, bytes, told) => {
    await folder.drop("customers.csv", bytes);
    expect((await poll(await folder.stream({ encoding }))).keys).toEqual([]);
    expect(await folder.text("failed", ".error.txt")).toContain(told);
  });

  it.each([
    ["cp1252", "M\xfcller"],
    ["cp1252", "Gru\xdf\x94 \x96 5\x80"],
    ["cp1252", "\x93IRM\xc3\x94 \xe9\x85"],
    ["latin1", "\xc4rger \xa7"],
    ["cp1252", "plain"],
  ])("in %s is read as what it is: %s", async (encoding, name) => {
    await folder.drop("customers.csv", Buffer.from(`no;name\nC1;${name}\nC2;\xfc\n`, "latin1"));
    expect((await poll(await folder.stream({ encoding }))).keys).toEqual(["C1", "C2"]);
  });

  it.each(["latin1", "cp1252"])("that ends in the middle of a letter of UTF-8 is %s", async (encoding) => {
    await folder.drop("customers.csv", Buffer.from("no;name\nC1;\xc3", "latin1"));
    expect((await poll(await folder.stream({ encoding }))).keys).toEqual(["C1"]);
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

  it.each([
    ["csv", "no;name\nC1;Kunde A\nC2;x\nC1;Kunde B\n", "2, 4"],
    ["ndjson", '{"no":"C1","n":1}\n{"no":"C2"}\n{"no":"C1","n":2}\n', "1, 3"],
    ["json", '[{"no":"C1","n":[1]},{"no":"C2"},{"no":"C1","n":[2]}]', "1, 3"],
    ["xml", '<L><C no="C1" n="1"/><C no="C2"/><C no="C1" n="2"/></L>', "1, 3"],
  ])(
    "in %s that has a key twice with rows that differ sets the record aside, in full and in delta files",
    async (format, text, lines) => {
      const rows = format === "xml" ? "L.C" : "";
      for (const kind of ["delta", "full"]) {
        const name = `customers_${kind}`;
        await folder.drop(name, text);
        const stream = await folder.stream({ files: name, format, kind, rows });
        const { batches, keys } = await poll(stream);
        expect(keys).toEqual(["C2"]);
        expect(batches.flatMap(({ unreadable = [] }) => unreadable)).toEqual([
          {
            key: "C1",
            place: `${name}:${lines.slice(0, 1)}`,
            reason: `several rows of the file have this key and differ (lines ${lines}); choose columns for \`key\` that are unique together`,
          },
        ]);
        await expect(stream.readOne("C1", never)).rejects.toMatchObject({ code: "E_ROW_UNREADABLE" });
      }
      expect(await allKeys(await folder.stream({ files: "customers_full", format, kind: "full", rows }))).toEqual([
        "C1",
        "C2",
      ]);
    },
  );

  it("that has a key twice with equal rows, or is a log, has one record of it", async () => {
    await folder.drop("customers_1.json", '[{"no":"C1","a":1,"b":2},{"no":"C1","b":2,"a":1}]');
    const one = await poll(await folder.stream({ files: "customers*", format: "json" }));
    expect(one.batches.flatMap(({ unreadable = [] }) => unreadable)).toEqual([]);
    await folder.drop("log.csv", "no;name\nC1;a\nC1;b\n");
    const log = await folder.stream({ files: "log.csv", repeated: "last" });
    expect((await poll(log)).changes.map((change) => change.kind === "upsert" && change.row["name"])).toEqual([
      "a",
      "b",
    ]);
    expect(await log.readOne("C1", never)).toEqual({ no: "C1", name: "b" });
  });

  it("with as many rows as an ERP has finds the one key that comes twice", async () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => `K${at};x\n`).join("");
    await folder.drop("customers.csv", `no;name\n${rows}K49999;y\n`);
    const { batches } = await poll(await folder.stream({}));
    expect(batches.flatMap(({ unreadable = [] }) => unreadable).map(({ key }) => key)).toEqual(["K49999"]);
  });

  it.each([
    [
      "json",
      `[{"no":"C1"},{"no":"C2","deep":${"[".repeat(5_000)}${"]".repeat(5_000)}},{"deep":${"[".repeat(5_000)}${"]".repeat(5_000)}}]`,
    ],
    ["ndjson", `{"no":"C1"}\n{"no":"C2","deep":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}\n`],
  ])("in %s with a value of 5,000 levels sets that record aside, and reads all others", async (format, text) => {
    await folder.drop("customers", text);
    const { batches, keys } = await poll(await folder.stream({ files: "customers", format }));
    expect(keys).toEqual(["C1"]);
    expect(batches.flatMap(({ unreadable = [] }) => unreadable)).toMatchObject([
      { key: "C2", reason: "it nests deeper than 64 levels" },
    ]);
  });

  it("in XML with 5,000 levels is refused by its name, and the next one is read", async () => {
    await folder.drop("customers_1.xml", `<L><C no="C1">${"<a>".repeat(5_000)}${"</a>".repeat(5_000)}</C></L>`);
    await folder.drop("customers_2.xml", '<L><C no="C2"/></L>');
    const { keys } = await poll(await folder.stream({ files: "*.xml", format: "xml", rows: "L.C" }));
    expect(keys).toEqual(["C2"]);
    expect(await folder.text("failed", ".error.txt")).toContain("customers_1.xml");
  });

  it.each(["<L/>", "<L></L>", '<L date="2026-01-01">\n</L>'])(
    "of XML without a record has 0 rows: %s",
    async (text) => {
      await folder.drop("customers.xml", text);
      const stream = await folder.stream({ files: "*.xml", format: "xml", rows: "L.C" });
      expect((await poll(stream)).keys).toEqual([]);
      expect(await folder.names("failed")).toEqual([]);
      expect(await folder.names("done")).toEqual([expect.stringMatching(/_0rows_customers\.xml$/)]);
    },
  );

  it.each(["<M/>", "<L><Customer/></L>"])(
    "of XML with other elements than the path names is refused: %s",
    async (text) => {
      await folder.drop("customers.xml", text);
      await poll(await folder.stream({ files: "*.xml", format: "xml", rows: "L.C" }));
      expect(await folder.text("failed", ".error.txt")).toContain("there are no records at L.C");
    },
  );

  it("of XML has the text of an element though it has attributes, and null for one that holds nothing", async () => {
    const nil = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
    const first = '<First xsi:nil="true"/><Last lang="de">Müller</Last><Middle lang="de"/>';
    const more = '<Address id="7"><City zip="89073">Ulm</City></Address><Tag>a</Tag><Tag kind="x">b</Tag>';
    await folder.drop("customers.xml", `<L ${nil}><C no="C1">${first}${more}</C></L>`);
    const { changes } = await poll(await folder.stream({ files: "*.xml", format: "xml", rows: "L.C" }));
    expect(changes).toEqual([
      {
        kind: "upsert",
        key: "C1",
        row: {
          no: "C1",
          First: null,
          Last: "Müller",
          "Last@lang": "de",
          Middle: null,
          "Middle@lang": "de",
          Address: { id: "7", City: "Ulm", "City@zip": "89073" },
          Tag: ["a", "b"],
        },
      },
    ]);
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
