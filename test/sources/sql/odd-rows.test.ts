import { describe, expect, it } from "vitest";
import type { ChangeBatch } from "#model";
import { allKeys, poll } from "../reading.ts";
import { dialects, useServers } from "./servers.ts";
import { never } from "../../kit/outcome.ts";

const { open } = useServers();
const megabyte = 1_000_000;
const longText = { sqlite: "text", postgres: "text", mysql: "longtext", mssql: "nvarchar(max)" } as const;
/** What makes a text of so many characters. */
const repeated = {
  sqlite: (count: number) => `replace(hex(zeroblob(${count / 2})), '00', 'xx')`,
  postgres: (count: number) => `repeat('x', ${count})`,
  mysql: (count: number) => `repeat('x', ${count})`,
  mssql: (count: number) => `replicate(cast('x' as nvarchar(max)), ${count})`,
} as const;

function unreadableOf(batches: readonly ChangeBatch[]) {
  return batches.flatMap(({ unreadable = [] }) => unreadable);
}

/** The largest batch, in characters. */
function largest(batches: readonly ChangeBatch[]): number {
  return Math.max(...batches.map(({ changes }) => JSON.stringify(changes).length));
}

function binary(column: string): string {
  return `column ${column} holds binary data: leave it out of \`columns\``;
}

describe("odd rows", () => {
  it.each(dialects)("of columns with the names of a JavaScript object arrive whole in %s", async (dialect) => {
    const quote = dialect === "mysql" ? "`" : '"';
    const names = ["constructor", "__proto__", "toString", "hasOwnProperty"];
    const columns = names.map((name) => `${quote}${name}${quote} varchar(9)`).join(", ");
    await using erp = await open(dialect);
    await erp.place.writer.run(`create table items (nr int primary key, ${columns});
      insert into items values (1, 'a', 'b', 'c', 'd'), (2, null, null, null, null)`);
    const stream = erp.stream({ table: "items", key: "nr" });
    const { changes } = await poll(stream);
    const row = Object.entries((await stream.readOne("1", never))!);
    expect(row).toEqual([["nr", 1], ...names.map((name, at) => [name, "abcd"[at]])]);
    expect(changes.map((change) => change.kind === "upsert" && Object.entries(change.row))).toEqual([
      row,
      [["nr", 2], ...names.map((name) => [name, null])],
    ]);
    const byName = erp.stream({ table: "items", key: "__proto__", where: "nr = 1" });
    expect(await allKeys(byName)).toEqual(["b"]);
  });

  it("with bytes where text is expected are set aside, and all others are read", async () => {
    await using erp = await open("sqlite");
    await erp.place.writer.run(
      "create table items (nr text, note text); insert into items values ('a', 'x'), ('b', x'00ff'), (x'00ff', 'x'), ('c', 'x')",
    );
    const { batches, keys } = await poll(erp.stream({ table: "items", key: "nr", pageSize: 1 }));
    expect(keys).toEqual(["a", "c"]);
    expect(unreadableOf(batches)).toEqual([
      { key: "b", place: "items, column note", reason: binary("note") },
      { key: "00ff", place: "items, column nr", reason: binary("nr") },
    ]);
  });

  it("whose stamp is no moment are set aside at every poll, and end no stream", async () => {
    await using erp = await open("postgres");
    const { writer } = erp.place;
    await writer.run(`create table items (nr int primary key, at timestamptz);
      insert into items values (1, now()), (2, 'infinity'), (3, '-infinity'), (4, null)`);
    const stream = erp.stream({ table: "items", key: "nr", changed: "at" });
    const first = await poll(stream);
    const odd = { key: "3", place: "items, column at", reason: `"-infinity" is no stamp of the other rows' format` };
    expect(unreadableOf(first.batches)).toContainEqual(odd);
    expect(first.keys).toEqual(expect.arrayContaining(["1", "2", "4"]));
    const second = await poll(stream, first.cursor);
    expect(unreadableOf(second.batches)).toContainEqual(odd);
    await writer.run("update items set at = now() where nr = 3");
    const third = await poll(stream, second.cursor);
    expect(third.keys).toContain("3");
    expect(unreadableOf(third.batches).map(({ key }) => key)).not.toContain("3");
  });

  it("do not decide how the stamps of all others are read", async () => {
    await using erp = await open("sqlite");
    await erp.place.writer.run(`create table items (nr text, at text);
      insert into items values ('a', '2026-01-01 00:00:00'), ('b', '2026-01-02 00:00:00'), ('c', 'unknown')`);
    const { batches, keys } = await poll(erp.stream({ table: "items", key: "nr", changed: "at" }));
    expect(keys).toEqual(["a", "b"]);
    expect(unreadableOf(batches).map(({ key }) => key)).toEqual(["c"]);
  });
});

describe("large rows", () => {
  it.each(dialects)("make small pages: a poll of %s holds megabytes, not the table", async (dialect) => {
    await using erp = await open(dialect);
    const { writer } = erp.place;
    const note = repeated[dialect](megabyte);
    await writer.run(`create table items (nr int primary key, note ${longText[dialect]})`);
    for (let nr = 1; nr <= 40; nr++) await writer.run(`insert into items values (${nr}, ${note})`);
    for (let nr = 41; nr <= 140; nr++) await writer.run(`insert into items values (${nr}, 'short')`);
    const { batches, keys } = await poll(erp.stream({ table: "items", key: "nr" }));
    expect(new Set(keys).size).toBe(140);
    expect(largest(batches)).toBeLessThan(10 * megabyte);
  });

  it.each(dialects)("that fill a page each are still read, one by one, in %s", async (dialect) => {
    await using erp = await open(dialect);
    const { writer } = erp.place;
    await writer.run(`create table items (nr int primary key, note ${longText[dialect]})`);
    for (let nr = 1; nr <= 3; nr++)
      await writer.run(`insert into items values (${nr}, ${repeated[dialect](9 * megabyte)})`);
    const stream = erp.stream({ table: "items", key: "nr" });
    const { batches, keys } = await poll(stream);
    expect(new Set(keys)).toEqual(new Set(["1", "2", "3"]));
    expect(largest(batches)).toBeLessThan(20 * megabyte);
    expect(JSON.stringify(await stream.readOne("2", never)).length).toBeGreaterThan(9 * megabyte);
  });

  it("named by an outbox are read some at a time, and the cursor stands behind all of them in the end", async () => {
    await using erp = await open("sqlite");
    const { writer } = erp.place;
    await writer.run(`create table items (nr int primary key, note text);
      create table log (nr int, seq integer primary key)`);
    for (let nr = 1; nr <= 24; nr++)
      await writer.run(`insert into items values (${nr}, ${repeated.sqlite(megabyte)});
        insert into log (nr) values (${nr})`);
    const stream = erp.stream({ table: "items", key: "nr", outbox: { table: "log", key: "nr", sequence: "seq" } });
    const { cursor } = await poll(stream);
    await writer.run("update items set note = note || 'y'; insert into log (nr) select nr from items");
    const { batches, keys } = await poll(stream, cursor);
    expect(new Set(keys).size).toBe(24);
    expect(largest(batches)).toBeLessThan(10 * megabyte);
    const resumed = await poll(stream, batches[0]!.cursor);
    expect(new Set([...batches[0]!.changes.map(({ key }) => key), ...resumed.keys]).size).toBe(24);
    expect((await poll(stream, batches.at(-1)!.cursor)).keys).toEqual([]);
  });
});

describe("a statement that hangs", () => {
  const hanging = {
    postgres: {
      query: "select 1 as nr from pg_sleep(600)",
      running:
        "select count(*) from pg_stat_activity where state = 'active' and query like '%pg_sleep(600)%' and pid <> pg_backend_pid()",
    },
    mysql: {
      query: "select 1 as nr from (select sleep(600) as s) as t where s = 0",
      running:
        "select count(*) from information_schema.processlist where info like '%sleep(600)%' and id <> connection_id()",
    },
  } as const;

  it.each(["postgres", "mysql"] as const)("ends with the signal, in %s too", async (dialect) => {
    await using erp = await open(dialect);
    const { query, running } = hanging[dialect];
    const abort = new AbortController();
    const reason = new Error("shutting down");
    const reading = erp.stream({ query, key: "nr" }).changes(null, abort.signal)[Symbol.asyncIterator]().next();
    const ended = reading.then(
      () => "read",
      (thrown: unknown) => thrown,
    );
    await expect.poll(() => erp.place.writer.one(running)).not.toBe("0");
    abort.abort(reason);
    expect(await ended).toBe(reason);
    await expect.poll(() => erp.place.writer.one(running)).toBe("0");
  });

  it("ends with the signal in a file, between two rows", async () => {
    await using erp = await open("sqlite");
    const query =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000000) select i as nr, 'x' as t from n where i % 100000 = 0";
    const abort = new AbortController();
    const reason = new Error("shutting down");
    const reading = erp.stream({ query, key: "nr" }).changes(null, abort.signal)[Symbol.asyncIterator]().next();
    setTimeout(() => abort.abort(reason), 100);
    await expect(reading).rejects.toBe(reason);
  });
});
