import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileFault } from "../../../src/sources/files/file-fault.ts";
import { parsed } from "../../../src/sources/files/read/parse.ts";
import type { Parsed } from "../../../src/sources/files/read/record.ts";
import { filesRead } from "../../../src/sources/files/schema.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-parse-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** More than a stream holds at once, so that its end is not read by the way. */
const rest = "C1;x\n".repeat(200_000);

async function opened(text: string) {
  const path = join(folder, "a");
  await writeFile(path, text);
  return createReadStream(path);
}

async function listed(records: AsyncIterable<Parsed>) {
  const all: unknown[] = [];
  for await (const one of records) all.push("record" in one ? one.record : one);
  return all;
}

async function allOf(records: AsyncIterable<Parsed>): Promise<void> {
  for await (const _one of records);
}

describe("a file that is read", () => {
  it("may end the line of its header without a carriage return, and all others with one", async () => {
    const read = filesRead.parse({ files: "*", kind: "full", format: "csv", key: "no" });
    const records = await listed(parsed(await opened("name;no\na;1\r\n;2\r\nb;\r\n"), read));
    expect(records).toEqual([
      { name: "a", no: "1" },
      { name: "", no: "2" },
      { name: "b", no: "" },
    ]);
  });

  it.each([
    ["an opened and never closed one", 'no;name\n1;a\n2;"b\n3;c\n', "a quote is opened in record 2 and never closed"],
    ["one inside a value", 'no;name\n1;a\n2;Rohr 1/2" verzinkt\n', "a quote is inside a value"],
    ["one inside a quoted value", 'no;name\n1;a\n2;"Rohr 1/2" verzinkt"\n', "a quote is inside a value"],
  ])("with a stray quote, %s, is refused with what to set", async (_what, text, told) => {
    const read = filesRead.parse({ files: "*", kind: "full", format: "csv", key: "no" });
    const reading = listed(parsed(await opened(text), read));
    await expect(reading).rejects.toThrow(told);
    await expect(reading).rejects.toThrow("set `strayQuotes: text`");
  });

  it("may have stray quotes where they are text", async () => {
    const read = filesRead.parse({ files: "*", kind: "full", format: "csv", key: "no", strayQuotes: "text" });
    const names = ['Rohr 1/2" verzinkt', '"Zoll', '"a; b"', '"sagt ""so"""', '"1/2" v"', '""', '"x"y'];
    const lines = names.map((name, at) => `${at};${name}\r\n`).join("");
    const records = await listed(parsed(await opened(`no;name\r\n\r\n;\r\n${lines}7;a;b`), read));
    expect(records).toEqual([
      { no: "0", name: 'Rohr 1/2" verzinkt' },
      { no: "1", name: '"Zoll' },
      { no: "2", name: "a; b" },
      { no: "3", name: 'sagt "so"' },
      { no: "4", name: '1/2" v' },
      { no: "5", name: "" },
      { no: "6", name: '"x"y' },
      { line: 11, text: "7;a;b", reason: "it has 3 columns, the header has 2" },
    ]);
  });

  it("may quote nothing at all", async () => {
    const read = filesRead.parse({ files: "*", kind: "full", format: "csv", key: "no", quote: "none" });
    const records = await listed(parsed(await opened('no;name\n1;"a"\n2;1/2" b\n'), read));
    expect(records).toEqual([
      { no: "1", name: '"a"' },
      { no: "2", name: '1/2" b' },
    ]);
  });

  it("may write letters of XML as references, by number too", async () => {
    const read = filesRead.parse({ files: "*", kind: "full", format: "xml", key: "no", rows: "L.C" });
    const text = `<L><C no="M&#xfc;ller"><a>S&#246;hne &amp; Co&#13;&#10;KG</a><b>&amp;#252;</b><c><![CDATA[&#252;]]></c></C></L>`;
    expect(await listed(parsed(await opened(text), read))).toEqual([
      { no: "Müller", a: "Söhne & Co\r\nKG", b: "&#252;", c: "&#252;" },
    ]);
  });

  it("may have long lines of NDJSON, in which the end of a line is looked for once", async () => {
    const read = filesRead.parse({ files: "*", kind: "full", format: "ndjson", key: "no" });
    const line = JSON.stringify({ no: "1", note: "x".repeat(4_000_000) });
    const split = vi.spyOn(String.prototype, "split");
    const records = await listed(parsed(await opened(`${line}\n${line}`), read));
    const searched = split.mock.contexts.reduce<number>((sum, text) => sum + String(text).length, 0);
    split.mockRestore();
    expect(records).toHaveLength(2);
    // Once as a line, once to count the lines of each piece.
    expect(searched).toBeLessThan(3 * 2 * line.length);
  });

  it.each([
    ["csv", "its header lacks the key", `number;name\n${rest}`],
    ["csv", "its header has a column twice", `no;no\n${rest}`],
    ["csv", "a quote stands inside a cell", `no;name\nC1;a"b\n${rest}`],
    ["json", "it is no JSON", rest],
    ["xml", "it is no XML", rest],
  ])("is closed when, as %s, %s", async (format, _why, text) => {
    const read = filesRead.parse({ files: "*", kind: "full", format, key: "no" });
    const bytes = await opened(text);
    await expect(allOf(parsed(bytes, read))).rejects.toThrow(FileFault);
    expect(bytes.destroyed).toBe(true);
  });

  it.each(["csv", "ndjson"])("is closed when, as %s, its reader has seen enough", async (format) => {
    const bytes = await opened(`no;name\n${rest}`);
    const read = filesRead.parse({ files: "*", kind: "full", format, key: "no" });
    for await (const one of parsed(bytes, read)) if (one.line > 1) break;
    expect(bytes.destroyed).toBe(true);
  });
});
