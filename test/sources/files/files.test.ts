import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY_MS, type Cursor } from "#model";
import { allKeys, poll } from "../reading.ts";
import { DropFolder } from "./drop-folder.ts";
import { SetClock } from "../../kit/clock.ts";
import { never } from "../../kit/outcome.ts";

let folder: DropFolder;
const clock = new SetClock(0);

beforeEach(async () => {
  clock.at = Date.parse("2026-03-02T10:00:00Z");
  folder = await DropFolder.make(clock);
});
afterEach(() => folder[Symbol.asyncDispose]());

const csv = (count: number, name = "Müller") =>
  `no;name\n${Array.from({ length: count }, (_, n) => `C${n};${name}\n`).join("")}`;

describe("a dropped file", () => {
  it("is read with numbers, dates and encoding as they are declared", async () => {
    const text = 'no;name;credit;since;at\nC1;"Müller; Söhne";1.234,50;31.01.2026;31.01.2026 10:00\nC2;;-5;1.2.2026;\n';
    await folder.drop("customers.csv", Buffer.from(text, "latin1"));
    const stream = await folder.stream({
      encoding: "cp1252",
      numbers: ["credit"],
      decimal: ",",
      dates: { since: "DD.MM.YYYY", at: "DD.MM.YYYY HH:mm" },
    });
    expect((await poll(stream)).changes).toEqual([
      {
        kind: "upsert",
        key: "C1",
        row: { no: "C1", name: "Müller; Söhne", credit: "1234.50", since: "2026-01-31", at: "2026-01-31T09:00:00Z" },
      },
      { kind: "upsert", key: "C2", row: { no: "C2", name: null, credit: "-5", since: "2026-02-01", at: null } },
    ]);
  });

  it.each([
    ["utf8", Buffer.from(`\uFEFF${csv(1)}`)],
    ["utf16le", Buffer.from(`\uFEFF${csv(1)}`, "utf16le")],
  ])("may begin with a byte order mark (%s)", async (encoding, bytes) => {
    await folder.drop("customers.csv", bytes);
    expect((await poll(await folder.stream({ encoding }))).keys).toEqual(["C0"]);
  });

  it.each([
    ["ndjson", '{"no":"C1","id":9007199254740993}\n\n{"no":"C2","id":2}\n', ""],
    ["json", '{"data":[{"no":"C1","id":9007199254740993},{"no":"C2","id":2}]}', "data"],
    [
      "xml",
      '<?xml version="1.0"?><a:List xmlns:a="u"><C no="C1"><id>9007199254740993</id></C><C no="C2"><id>2</id></C></a:List>',
      "List.C",
    ],
  ])("may be %s", async (format, text, rows) => {
    await folder.drop("c.dat", text);
    const { changes } = await poll(await folder.stream({ files: "*.dat", format, rows }));
    expect(changes.map(({ key }) => key)).toEqual(["C1", "C2"]);
    expect(changes[0]).toMatchObject({ row: { id: "9007199254740993" } });
  });

  it("is left alone until it was the same for a while, over two polls", async () => {
    const stream = await folder.stream({ ready: "stable", stableFor: "30s" });
    await folder.drop("customers.csv", csv(2));
    const first = await poll(stream);
    clock.at += 20_000;
    await folder.drop("customers.csv", csv(3));
    const second = await poll(stream, first.cursor);
    clock.at += 29_000;
    const third = await poll(stream, second.cursor);
    expect([first, second, third].flatMap(({ keys }) => keys)).toEqual([]);
    clock.at += 2_000;
    expect((await poll(stream, third.cursor)).keys).toHaveLength(3);
  });

  it("is read after the clock was set back by a year while it was looked at", async () => {
    const stream = await folder.stream({ ready: "stable", stableFor: "30s" });
    await folder.drop("customers.csv", csv(2));
    const first = await poll(stream);
    clock.at -= 365 * DAY_MS;
    const second = await poll(stream, first.cursor);
    expect(second.keys).toEqual([]);
    clock.at += 31_000;
    expect((await poll(stream, second.cursor)).keys).toHaveLength(2);
  });

  it("is left alone until its companion is there", async () => {
    const stream = await folder.stream({ files: "customers*", ready: "companion" });
    await folder.drop("customers.csv", csv(2));
    const first = await poll(stream);
    expect(first.keys).toEqual([]);
    await folder.drop("customers.csv.done", "");
    expect((await poll(stream, first.cursor)).keys).toHaveLength(2);
    expect(await folder.names("")).toEqual([]);
  });

  it("is applied in the order of names, and put away when it was read", async () => {
    await folder.drop("customers_2.csv", "no;name\nC1;two\n");
    await folder.drop("customers_1.csv", "no;name\nC1;one\n");
    const { changes } = await poll(await folder.stream({}));
    expect(changes.map((change) => change.kind === "upsert" && change.row["name"])).toEqual(["one", "two"]);
    expect(await folder.names("processing")).toEqual([]);
    expect((await folder.names("done")).map((name) => name.slice(20))).toEqual([
      "1rows_customers_1.csv",
      "1rows_customers_2.csv",
    ]);
  });

  it("is not applied twice with the same content, but again with new content or back to an older one", async () => {
    const stream = await folder.stream({});
    let cursor: Cursor | null = null;
    const counts: number[] = [];
    for (const name of ["A", "A", "B", "A"]) {
      await folder.drop("customers.csv", csv(2, name));
      const read = await poll(stream, cursor);
      counts.push(read.keys.length);
      ({ cursor } = read);
    }
    expect(counts).toEqual([2, 0, 2, 2]);
  });
});

describe("a companion", () => {
  it("of a file that was claimed completes no other file, though the process died before it was put away", async () => {
    await mkdir(join(folder.path, "processing"));
    await folder.drop("processing/20260302T095900000Z_customers.csv", csv(2));
    await folder.drop("customers.csv.done", "");
    const stream = await folder.stream({ ready: "companion" });
    const first = await poll(stream);
    expect(first.keys).toHaveLength(2);
    await folder.drop("customers.csv", csv(1, "half"));
    const second = await poll(stream, first.cursor);
    expect(second.keys).toEqual([]);
    await folder.drop("customers.csv", csv(3, "whole"));
    await folder.drop("customers.csv.done", "");
    expect((await poll(stream, second.cursor)).keys).toHaveLength(3);
  });
});

describe("several streams of one folder", () => {
  it("do not stumble over files that others are moving", async () => {
    const kinds = Array.from({ length: 8 }, (_, kind) => `kind${kind}`);
    for (const kind of kinds)
      for (let n = 0; n < 10; n++) await folder.drop(`${kind}_${n}.csv`, `no;name\n${kind}${n};a\n`);
    const streams = await Promise.all(kinds.map((kind) => folder.stream({ files: `${kind}_*.csv` })));
    const polls = await Promise.all(streams.map((stream) => poll(stream)));
    expect(polls.map(({ keys }) => keys.length)).toEqual(kinds.map(() => 10));
  });
});

describe("a crash", () => {
  it("at any batch loses no row and goes on where it was", async () => {
    for (let stopAt = 1; stopAt <= 6; stopAt++) {
      await using own = await DropFolder.make(clock);
      await own.drop("customers.csv", csv(20));
      const stream = await own.stream({ size: 5 });
      const seen: string[] = [];
      let cursor: Cursor | null = null;
      let batches = 0;
      for await (const batch of stream.changes(null, never)) {
        seen.push(...batch.changes.map(({ key }) => key));
        ({ cursor } = batch);
        if (++batches === stopAt) break;
      }
      const rest = await poll(await own.stream({ size: 5 }), cursor);
      expect([...seen, ...rest.keys]).toHaveLength(20);
      expect(await own.names("processing")).toEqual([]);
      expect(await own.names("done")).toHaveLength(1);
    }
  });

  it("reads a file that was claimed after the clock went back and the files before it were pruned", async () => {
    const stream = await folder.stream({ size: 5 });
    await folder.drop("customers.csv", csv(20));
    const { cursor } = await poll(stream);
    await rm(join(folder.path, "done"), { recursive: true });
    clock.at -= 60_000;
    await folder.drop("customers.csv", csv(10, "later"));
    for await (const _batch of stream.changes(cursor, never)) break;
    expect((await poll(stream, cursor)).keys).toHaveLength(10);
  });

  it("after a file was put away, with its last batch not stored, reads it again", async () => {
    await folder.drop("customers.csv", csv(20));
    const stream = await folder.stream({ size: 5 });
    const { batches } = await poll(stream);
    expect(await folder.names("done")).toHaveLength(1);
    expect((await poll(stream, batches[1]!.cursor)).keys).toHaveLength(10);
    expect((await poll(stream, null)).keys).toHaveLength(20);
  });
});

describe("what cannot be used", () => {
  it("is one line, kept with its place while all others are read", async () => {
    await folder.drop("customers.csv", "no;name;n\nC1;a;1\nC2;b\n;c;1\nC4;d;x\nC5;e;2\n");
    expect((await poll(await folder.stream({ numbers: ["n"] }))).keys).toEqual(["C1", "C5"]);
    const report = (await folder.text("failed", ".lines.ndjson")).trim().split("\n");
    const places = report.map((line) => JSON.parse(line).place);
    expect(places).toEqual(["customers.csv:3", "customers.csv:4", "customers.csv:5"]);
  });

  it.each([
    ["a column that is missing", "number;name\nC1;a\n", "the header lacks no"],
    ["another encoding", Buffer.from(csv(1), "latin1"), "not UTF-8"],
    ["a quote that is never closed", 'no;name\nC1;"a\nC2;b\n', "Quote"],
    ["no content", "", "empty"],
  ])("is a file with %s: it moves to the failed folder whole, and the next is read", async (_what, content, reason) => {
    await folder.drop("customers_1.csv", content);
    await folder.drop("customers_2.csv", csv(1));
    const stream = await folder.stream({});
    const first = await poll(stream);
    expect(first.keys).toEqual(["C0"]);
    expect(await folder.text("failed", ".error.txt")).toContain(reason);
    expect((await poll(stream, first.cursor)).keys).toEqual([]);
    expect((await stream.check(never)).map(({ verdict }) => verdict)).toContain("warning");
  });

  it("is a file that nearly has the right name: check names it until one with that name is there", async () => {
    await folder.drop("customers.csv", csv(1));
    await folder.drop("invoices_1.csv", csv(1));
    const stream = await folder.stream({ files: "customers_*.csv" });
    const warnings = async () => (await stream.check(never)).filter(({ verdict }) => verdict === "warning");
    expect(await warnings()).toMatchObject([
      { message: "no file matches customers_*.csv, but the folder holds customers.csv, which is not read" },
    ]);
    await folder.drop("customers_1.csv", csv(1));
    expect(await warnings()).toEqual([]);
  });

  it("is XML with a DOCTYPE, cut off, or nested too deeply", async () => {
    await folder.drop("1.xml", '<!DOCTYPE a [<!ENTITY b "c">]><L><C><no>1</no></C></L>');
    await folder.drop("2.xml", "<L><C><no>1</no></C>");
    await folder.drop("3.xml", `<L><C><no>1</no>${"<a>".repeat(200)}${"</a>".repeat(200)}</C></L>`);
    expect((await poll(await folder.stream({ files: "*.xml", format: "xml", rows: "L.C" }))).keys).toEqual([]);
    expect((await folder.names("failed")).filter((name) => name.endsWith(".xml"))).toHaveLength(3);
  });
});

/** A hundred rows; from the 81st on `n` is this. */
function numbered(value: string): string {
  return `no;n\n${Array.from({ length: 100 }, (_, at) => `C${at};${at < 80 ? at : value}\n`).join("")}`;
}

describe("a full file", () => {
  it("tells which records are there, once it was read", async () => {
    const stream = await folder.stream({ kind: "full" });
    await expect(allKeys(stream)).rejects.toMatchObject({ code: "E_SOURCE_KEYS_UNKNOWN" });
    await folder.drop("customers.csv", csv(100));
    await expect(allKeys(stream)).rejects.toMatchObject({ code: "E_SOURCE_FILE_BUSY", family: "retry" });
    const { cursor } = await poll(stream);
    expect(await allKeys(stream)).toHaveLength(100);
    expect(await stream.readOne("C99", never)).toMatchObject({ no: "C99" });
    await folder.drop("customers.csv", csv(97));
    await poll(stream, cursor);
    expect(await allKeys(stream)).toHaveLength(97);
    expect(await stream.readOne("C99", never)).toBeUndefined();
  });

  it.each([
    [{ ready: "companion" }, "it is read once customers.csv.done is beside it"],
    [{ ready: "stable", stableFor: "90s" }, "it is read by the first poll that finds it unchanged for 90 s"],
  ])("that waits tells what for (%o)", async (words, until) => {
    const stream = await folder.stream({ kind: "full", ...words });
    await folder.drop("customers.csv", csv(2));
    await poll(stream);
    await expect(allKeys(stream)).rejects.toMatchObject({
      code: "E_SOURCE_FILE_BUSY",
      message: expect.stringContaining(until),
    });
  });

  it("that shrank deletes nothing though its rows are used", async () => {
    const stream = await folder.stream({ kind: "full" });
    await folder.drop("customers.csv", csv(100));
    const first = await poll(stream);
    await folder.drop("customers.csv", csv(50, "Other"));
    const second = await poll(stream, first.cursor);
    expect(second.keys).toHaveLength(50);
    await expect(allKeys(stream)).rejects.toMatchObject({
      code: "E_SOURCE_FILE_SHRUNK",
      family: "park",
      message: expect.stringMatching(/_50rows_partial_customers\.csv holds 50 records, much fewer than the 100 of/),
    });
    expect(await stream.readOne("C99", never)).toMatchObject({ name: "Müller" });
  });

  it("counts its bad lines: those with a key are there, and it did not shrink by them", async () => {
    const stream = await folder.stream({ kind: "full", numbers: ["n"] });
    await folder.drop("customers.csv", numbered("1"));
    const { cursor } = await poll(stream);
    await folder.drop("customers.csv", numbered("x"));
    await poll(stream, cursor);
    expect(await allKeys(stream)).toHaveLength(100);
    expect(await stream.keyless!(never)).toEqual([]);
  });

  it("with lines whose key cannot be read tells which, and its gaps mean nothing until the next good one", async () => {
    const stream = await folder.stream({ kind: "full" });
    await folder.drop("customers.csv", csv(100));
    const first = await poll(stream);
    await folder.drop("customers.csv", `${csv(98)}C98\n;Müller\n`);
    const second = await poll(stream, first.cursor);
    expect(await allKeys(stream)).toHaveLength(98);
    expect(await stream.readOne("C99", never)).toMatchObject({ no: "C99" });
    const told = [
      {
        place: "customers.csv:100",
        reason: "it has 1 columns, the header has 2 (and 1 more lines without a readable key)",
      },
    ];
    expect(await stream.keyless!(never)).toEqual(told);
    expect(await (await folder.stream({ kind: "full" })).keyless!(never)).toEqual(told);
    await folder.drop("customers.csv", csv(98));
    await poll(stream, second.cursor);
    expect(await stream.keyless!(never)).toEqual([]);
    expect(await stream.readOne("C99", never)).toBeUndefined();
  });

  it("is used although an earlier one of its name had its content", async () => {
    const stream = await folder.stream({ kind: "full" });
    let cursor: Cursor | null = null;
    const counts: number[] = [];
    for (const [name, content] of [
      ["customers_mon.csv", csv(2, "A")],
      ["customers_tue.csv", csv(2, "B")],
      ["customers_mon.csv", csv(2, "A")],
      ["customers_mon.csv", csv(2, "A")],
    ] as const) {
      await folder.drop(name, content);
      const read = await poll(stream, cursor);
      counts.push(read.keys.length);
      ({ cursor } = read);
    }
    expect(counts).toEqual([2, 2, 2, 0]);
  });

  it("is the only kind that does", async () => {
    await folder.drop("customers.csv", csv(3));
    const stream = await folder.stream({ kind: "delta" });
    await poll(stream);
    await expect(allKeys(stream)).rejects.toMatchObject({ code: "E_SOURCE_KEYS_UNKNOWN" });
    expect(await stream.readOne("C2", never)).toMatchObject({ no: "C2" });
  });
});
