import { describe, expect, it } from "vitest";
import type { Cursor, Key } from "#model";
import type { SourceStream } from "#sources";
import { Reader } from "../../conformance/source-reading.ts";
import { SourceDatabase } from "../../../src/sources/sql/database.ts";
import { engineOf } from "../../../src/sources/sql/engines/engines.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { poll } from "../reading.ts";
import { startPostgres } from "../../setup/postgres.ts";
import { openSql } from "./opened.ts";
import { dialects, useServers } from "./servers.ts";
import { shapes } from "./shapes.ts";
import { openSqlHarness } from "./sql-harness.ts";
import { sqlStream } from "./sql-stream.ts";
import { openWriter } from "./writer.ts";
import { never } from "../../kit/outcome.ts";

const servers = useServers();

const minuteMs = 60_000;

/** The rest of a deletion feed. */
async function deletions(stream: SourceStream, from: Cursor | null) {
  const keys: Key[] = [];
  let cursor = from;
  for await (const batch of stream.deletions!(from, never)) {
    keys.push(...batch.changes.map(({ key }) => key));
    ({ cursor } = batch);
  }
  return { keys, cursor };
}

describe("windows", () => {
  it.each(["postgres", "mysql"] as const)(
    "see a transaction that stays open for longer than the overlap in %s",
    async (dialect) => {
      const server = dialect === "postgres" ? servers.postgres.url : servers.mariadb.url;
      await using erp = await openSqlHarness(dialect, shapes[0]!, server);
      const begin = Date.now();
      let now = begin;
      await erp.put([{ key: "A", name: "old" }], begin - 60 * minuteMs);
      const reader = new Reader(erp.stream({ pageSize: 5, clockMs: () => now }));
      await reader.poll();
      const commit = await erp.putLate!([{ key: "A", name: "late" }]);
      if (dialect === "mysql") await untilListed(server);
      // An hour of the server's clock passes, with other changes: the overlap alone would have forgotten the late one.
      for (let minutes = 10; minutes <= 60; minutes += 10) {
        now = begin + minutes * minuteMs;
        await erp.put([{ key: `B${minutes}`, name: "early" }], now);
        await reader.poll();
      }
      expect(reader.names.get("A")).toBe("old");
      await commit();
      await reader.poll();
      expect(reader.names.get("A")).toBe("late");
    },
  );

  it("lose nothing where the ERP's clock is behind, or its zone is not the one that was set", async () => {
    await using erp = await openSql("sqlite", undefined, { timezone: "Asia/Tokyo" });
    const { writer } = erp.place;
    await writer.run(
      `create table items (nr text, at text); insert into items values ('a', '${utc(Date.now())}'), ('b', '2020-01-01 00:00:00')`,
    );
    const stream = erp.stream({ table: "items", key: "nr", changed: "at" });
    let { cursor } = await poll(stream);
    for (const nr of ["c", "d", "e"]) {
      const stamp = utc(Date.now() + 120_000 * (nr.codePointAt(0)! - 98));
      await writer.run(`insert into items values ('${nr}', '${stamp}')`);
      const read = await poll(stream, cursor);
      expect(read.keys).toContain(nr);
      ({ cursor } = read);
    }
  });

  it("see a transaction of PostgreSQL that is prepared and committed after a restart of the server", async () => {
    await using postgres = await startPostgres();
    const { url } = postgres;
    const restart = async () => {
      await postgres.stop();
      await postgres.start();
      return await openWriter(url);
    };
    await using admin = await openWriter(url);
    await admin.run("alter system set max_prepared_transactions = 1");
    await using writer = await restart();
    await writer.run(`create table items (nr int, seq bigint generated always as identity);
      insert into items values (1)`);
    await using database = new SourceDatabase(engineOf(settings.parse({ url })), { source: "erp", connections: 1 });
    const stream = sqlStream(database, { table: "items", key: "nr", changed: { counter: "seq", kind: "sequence" } });
    let { cursor } = await poll(stream);
    await writer.run("begin; insert into items values (2)");
    await using other = await openWriter(url);
    await other.run("insert into items values (3)");
    ({ cursor } = await poll(stream, cursor));
    await writer.run("prepare transaction 'late'");
    await using again = await restart();
    await expect.poll(async () => ({ cursor } = await poll(stream, cursor)).keys).toEqual(["3"]);
    await again.run("commit prepared 'late'");
    expect((await poll(stream, cursor)).keys).toContain("2");
  });

  it("know a transaction of MariaDB that is prepared by the same name after its connection ended", async () => {
    await using erp = await servers.open("mysql");
    await using database = new SourceDatabase(engineOf(settings.parse({ url: erp.place.url })), {
      source: "erp",
      connections: 1,
    });
    const open = async () => (await database.engine.moment((query) => database.ask(query, never))).open;
    const writer = await openWriter(erp.place.url);
    await writer.run("create table items (nr int); xa begin 'late'; insert into items values (1); xa end 'late'");
    await writer.run("xa prepare 'late'");
    await untilListed(erp.place.url, "trx_mysql_thread_id > 0");
    const before = await open();
    await writer[Symbol.asyncDispose]();
    await untilListed(erp.place.url, "trx_mysql_thread_id = 0");
    const after = new Set(await open());
    expect(before?.some((name) => after.has(name))).toBe(true);
    await erp.place.writer.run("xa commit 'late'");
  });

  it.each(dialects)("lose nothing that commits late where the ERP's clock is behind in %s", async (dialect) => {
    await using erp = await openSqlHarness(dialect, shapes[0]!, servers.url(dialect));
    const begin = Date.now();
    let now = begin;
    const reader = new Reader(erp.stream({ pageSize: 5, clockMs: () => now }));
    const put = (key: string, minutes: number) => erp.put([{ key, name: key }], begin + minutes * minuteMs);
    await reader.poll();
    await put("first of all", -600);
    await reader.poll();
    await put("late", -590);
    await reader.poll();
    await put("drawn before, committed after", -592);
    await put("of the same moment", -590);
    await reader.poll();
    expect([...reader.names.keys()]).toEqual([
      "first of all",
      "late",
      "drawn before, committed after",
      "of the same moment",
    ]);
    now += 6 * minuteMs;
    await reader.poll();
    now += 6 * minuteMs;
    await reader.poll();
    expect(await reader.poll()).toEqual([]);
  });

  it.each(dialects)("show new rows while the stamps of all are empty texts in %s", async (dialect) => {
    await using erp = await servers.open(dialect);
    const { writer } = erp.place;
    await writer.run("create table items (nr int, at varchar(30)); insert into items values (1, '')");
    const stream = erp.stream({ table: "items", key: "nr", changed: "at" });
    const { keys, cursor } = await poll(stream);
    expect(keys).toEqual(["1"]);
    await writer.run("insert into items values (2, '')");
    expect((await poll(stream, cursor)).keys).toEqual(["1", "2"]);
  });

  it.each(dialects)("show a row with a date and no time as one without a stamp in %s", async (dialect) => {
    await using erp = await servers.open(dialect);
    const { writer } = erp.place;
    const time = dialect === "sqlite" ? "text" : "time";
    await writer.run(`create table items (nr int, day date, clock ${time}, name varchar(9));
      insert into items values (1, '2024-01-01', '10:00:00', 'a')`);
    const stream = erp.stream({ table: "items", key: "nr", changed: { date: "day", time: "clock" } });
    let { cursor } = await poll(stream);
    const yesterday = utc(Date.now() - 24 * 60 * minuteMs).slice(0, 10);
    await writer.run(`insert into items values (2, '${yesterday}', null, 'b'), (3, '2999-01-01', null, 'c')`);
    for (const name of ["b", "x"]) {
      await writer.run(`update items set name = '${name}' where nr = 2`);
      const read = await poll(stream, cursor);
      expect(read.changes.filter(({ key }) => key === "2")).toMatchObject([{ row: { name } }]);
      expect(read.keys).toContain("3");
      expect(read.batches.flatMap(({ unreadable = [] }) => unreadable)).toEqual([]);
      ({ cursor } = read);
    }
  });

  it.each([
    ["postgres", "bigint"],
    ["postgres", "integer"],
    ["postgres", "numeric(20, 3)"],
    ["postgres", "double precision"],
    ["mysql", "bigint"],
    ["mysql", "decimal(20, 3)"],
  ] as const)("are those of seconds since 1970 in a column of %s's type %s", async (dialect, type) => {
    await using erp = await servers.open(dialect);
    const { writer } = erp.place;
    const seconds = Math.floor(Date.now() / 1000);
    await writer.run(
      `create table items (nr int, at ${type}); insert into items values (1, 1700000000), (2, ${seconds})`,
    );
    const stream = erp.stream({ table: "items", key: "nr", changed: "at" });
    const { keys, cursor } = await poll(stream);
    expect(keys).toEqual(["1", "2"]);
    await writer.run(`insert into items values (3, ${seconds}), (4, ${seconds - 60 * 60})`);
    expect((await poll(stream, cursor)).keys).toEqual(["2", "3"]);
  });

  it.each([
    ["seconds", 45_000, 44_000],
    ["auto", 123_000, 91_500],
  ])("are those of a time of day in a number of PostgreSQL, written as %s", async (timeFormat, late, early) => {
    await using erp = await servers.open("postgres");
    const { writer } = erp.place;
    await writer.run(`create table items (nr int, day date, clock int);
      insert into items values (1, '2026-01-01', ${late}), (2, '2026-01-01', ${early}), (3, '2025-01-01', ${early})`);
    const stream = erp.stream({ table: "items", key: "nr", changed: { date: "day", time: "clock", timeFormat } });
    const { keys, batches, cursor } = await poll(stream);
    expect(keys).toEqual(["1", "2", "3"]);
    expect(batches.flatMap(({ unreadable = [] }) => unreadable)).toEqual([]);
    await writer.run(`insert into items values (4, '2026-01-01', ${late + 100})`);
    const later = await poll(stream, cursor);
    expect(later.keys).toContain("4");
    expect(later.keys).not.toContain("3");
  });

  it.each(dialects)("refuse a counter of text, whose rows from 10 on would be missed, in %s", async (dialect) => {
    await using erp = await servers.open(dialect);
    const { writer } = erp.place;
    await writer.run("create table items (nr int, seq varchar(9)); insert into items values (1, '9')");
    const stream = erp.stream({ table: "items", key: "nr", changed: { counter: "seq", kind: "sequence" } });
    await expect(poll(stream)).rejects.toMatchObject({ code: "E_SOURCE_COUNTER" });
  });

  it("show all of an outbox whose numbers began again", async () => {
    await using erp = await servers.open("sqlite");
    const { writer } = erp.place;
    await writer.run(`create table items (nr int, name text); insert into items values (1, 'a'), (2, 'b'), (3, 'c');
      create table log (nr int, seq integer primary key); insert into log (nr) select nr from items`);
    const stream = erp.stream({ table: "items", key: "nr", outbox: { table: "log", key: "nr", sequence: "seq" } });
    const first = await poll(stream);
    const deleted = await deletions(stream, null);
    // The ERP emptied the outbox; SQLite counts from 1 then.
    await writer.run(`delete from log; update items set name = 'x' where nr = 1; insert into log (nr) values (1);
      delete from items where nr = 2; insert into log (nr) values (2)`);
    const { keys, cursor } = await poll(stream, first.cursor);
    expect(keys).toEqual(["1"]);
    expect((await deletions(stream, deleted.cursor)).keys).toEqual(["2"]);
    await writer.run("delete from log");
    expect((await poll(stream, cursor)).keys).toEqual([]);
  });

  it("begin anew when the server's clock went back by more than the overlap", async () => {
    await using erp = await openSqlHarness("sqlite", shapes[0]!);
    const begin = Date.now();
    let now = begin;
    await erp.put([{ key: "A", name: "old" }], begin - 60 * minuteMs);
    const reader = new Reader(erp.stream({ pageSize: 5, clockMs: () => now }));
    await reader.poll();
    await erp.put([{ key: "B", name: "after" }], begin - 55 * minuteMs);
    now = begin - 30 * minuteMs;
    await reader.poll();
    expect(reader.names.get("B")).toBe("after");
  });

  it("cost few statements and no row when nothing changed", async () => {
    await using erp = await openSqlHarness("sqlite", shapes[1]!);
    await erp.put([{ key: "A", name: "x" }], Date.now() - 60 * minuteMs);
    const reader = new Reader(erp.stream({ pageSize: 5 }));
    await reader.poll();
    expect(await reader.poll()).toEqual([]);
  });

  it("begin anew when the settings no longer fit the cursor", async () => {
    await using erp = await openSql("sqlite");
    await erp.place.writer.run(
      "create table items (nr text, at text); insert into items values ('a', '2020-01-01 00:00:00')",
    );
    const { cursor } = await poll(erp.stream({ table: "items", key: "nr", changed: "at" }));
    expect((await poll(erp.stream({ table: "items", key: "nr", changed: "at", pageSize: 9 }), cursor)).keys).toEqual(
      [],
    );
    expect((await poll(erp.stream({ table: "items", key: "nr", changed: "at", where: "1 = 1" }), cursor)).keys).toEqual(
      ["a"],
    );
    expect((await poll(erp.stream({ table: "items", key: "nr", changed: "at" }), { strange: true })).keys).toEqual([
      "a",
    ]);
  });

  it.each(["text", "datetime"])(
    "set a row aside whose stamp (%s) is in another format than the others",
    async (type) => {
      await using erp = await openSql("sqlite");
      const { writer } = erp.place;
      await writer.run(
        `create table items (nr text, at ${type}); insert into items values ('a', '2020-01-01 00:00:00')`,
      );
      const stream = erp.stream({ table: "items", key: "nr", changed: "at" });
      const { cursor } = await poll(stream);
      await writer.run("insert into items values ('b', 1740824430), ('z', 'zzz')");
      const { batches, keys } = await poll(stream, cursor);
      expect(keys).not.toContain("b");
      const reason = `"1740824430" is no stamp of the other rows' format`;
      expect(batches.flatMap(({ unreadable = [] }) => unreadable)).toContainEqual({
        key: "b",
        place: "items, column at",
        reason,
      });
      await writer.run("update items set at = '2026-01-01 00:00:00'");
      expect((await poll(stream, cursor)).keys).toEqual(["a", "b", "z"]);
    },
  );

  it("are read from a query, with a condition and the columns that are wanted", async () => {
    await using erp = await openSql("postgres", servers.postgres.url);
    await erp.place.writer
      .run(`create table people (id int primary key, kind text, name text, secret bytea, at timestamptz);
      insert into people values (1, 'D', 'a', 'x', now()), (2, 'K', 'b', 'x', now()), (3, 'D', 'c', 'x', null)`);
    const query = "select p.id, p.kind, upper(p.name) as name, p.secret, p.at from people p;";
    const stream = erp.stream({ query, key: "id", changed: "at", where: "kind = 'D'", columns: ["name"] });
    const { changes, cursor } = await poll(stream);
    expect(changes).toMatchObject([{ row: { id: 1, name: "A" } }, { row: { id: 3, name: "C", at: null } }]);
    expect(Object.keys((await stream.readOne("1", never))!)).toEqual(["name", "id", "at"]);
    await erp.place.writer.run("update people set name = 'z', at = now() where id <= 2");
    expect((await poll(stream, cursor)).changes).toContainEqual(expect.objectContaining({ key: "1" }));
    expect((await poll(stream, cursor)).keys).not.toContain("2");
  });
});

function utc(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
}

/** InnoDB shows transactions from a cache that is refreshed only where nobody read it for 0.1 s. */
async function untilListed(server: string, condition = "true"): Promise<void> {
  await using writer = await openWriter(server);
  while ((await writer.one(`select count(*) from information_schema.innodb_trx where ${condition}`)) === "0")
    await writer.one("select sleep(0.2)");
  await writer.one("select sleep(0.2)");
}
