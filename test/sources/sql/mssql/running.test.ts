import { describe, expect, it } from "vitest";
import { RetryError, systemClock } from "#model";
import { adapters } from "#sources";
import { engineOf } from "../../../../src/sources/sql/engines/engines.ts";
import { settings } from "../../../../src/sources/sql/settings.ts";
import { never, thrownBy } from "../../../kit/outcome.ts";
import { allKeys, openContext, poll } from "../../reading.ts";
import { openSql, ownTls, type Opened } from "../opened.ts";
import { openWriter } from "../writer.ts";
import { openLogin } from "./login.ts";
import { expectMssql, mssqlServer, mssqlUrl } from "./server.ts";

const { isBabelfish } = mssqlUrl === undefined ? { isBabelfish: false } : await mssqlServer();
const open = (more: Readonly<Record<string, unknown>> = {}) => openSql("mssql", mssqlUrl, more);
/** Babelfish keeps six digits. */
const fraction = isBabelfish ? "123456" : "1234567";
const items = { table: "items", key: "id" };

async function messageOf(url: string, more: object = ownTls("mssql")): Promise<string> {
  const adapter = adapters.get("sql")!;
  await using source = await adapter.open(adapter.settings.parse({ url, ...more }), openContext(systemClock));
  return JSON.stringify(await source.check(never));
}

const keysOf = (erp: Opened) => poll(erp.stream({ table: "items", key: "nr", pageSize: 1 }));

expectMssql();

describe.runIf(mssqlUrl !== undefined)("SQL Server", () => {
  it("gives values unharmed, a computed column as its value, and no row version", async () => {
    await using erp = await open();
    await erp.place.writer.run(`create table items (id bigint primary key, amount decimal(38, 10), price decimal(10, 2),
        sum money, ratio float, hours real, active bit, local datetime2(7), whole datetime2(0), old datetime, minute smalldatetime,
        at datetimeoffset(7), day date, clock time(7), uid uniqueidentifier, note nvarchar(40), code varchar(40), fixed char(6),
        long nvarchar(max), double_price as price * 2${isBabelfish ? "" : ", rv rowversion"});
      insert into items (id, amount, price, sum, ratio, hours, active, local, whole, old, minute, at, day, clock, uid, note, code, fixed, long)
      values (9007199254740993, 12345678901234567890.0123456789, 12.50, 922337203685477.5807, 0.1, 19.99, 1,
        '2025-07-01 10:00:00.${fraction}', '2025-07-01 10:00:00', '2025-07-01 10:00:00.997', '2025-07-01 10:01:00',
        '2025-03-01 10:00:00.${fraction} +02:00', '2025-03-01', '10:00:00.${fraction}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
        N'Müller ''& Söhne 漢字 🔧', 'Größe', 'ab', N'x')`);
    const [change] = (await poll(erp.stream(items))).changes;
    expect(change).toEqual({
      kind: "upsert",
      key: "9007199254740993",
      row: {
        id: "9007199254740993",
        amount: "12345678901234567890.0123456789",
        price: 12.5,
        sum: "922337203685477.5807",
        ratio: 0.1,
        hours: 19.99,
        active: true,
        local: `2025-07-01T10:00:00.${fraction}+02:00`,
        whole: "2025-07-01T10:00:00+02:00",
        old: "2025-07-01T10:00:00.997+02:00",
        minute: expect.stringMatching(/^2025-07-01T10:01:00(\.000)?\+02:00$/),
        at: `2025-03-01T08:00:00.${fraction}Z`,
        day: "2025-03-01",
        clock: expect.stringMatching(/^10:00:00\.123456[07]$/),
        uid: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
        note: "Müller '& Söhne 漢字 🔧",
        code: "Größe",
        fixed: "ab",
        long: "x",
        double_price: 25,
      },
    });
    expect(await erp.stream(items).readOne("9007199254740993", never)).toMatchObject({ price: 12.5 });
    expect(await erp.stream(items).readOne("not a number", never)).toBeUndefined();
  });

  it("refuses a column of type sql_variant by name, and reads the others", async () => {
    await using erp = await open();
    await erp.place.writer.run(`create table items (id int primary key, x sql_variant, name varchar(9));
      insert into items values (1, cast('12345678901234.5678' as decimal(18, 4)), 'a'), (2, cast('2025-03-01' as date), 'b')`);
    await expect(poll(erp.stream(items))).rejects.toMatchObject({
      code: "E_SOURCE_BINARY",
      message: expect.stringContaining("x sql_variant"),
    });
    const { changes } = await poll(erp.stream({ ...items, columns: ["name"] }));
    expect(changes).toMatchObject([{ row: { id: 1, name: "a" } }, { row: { id: 2, name: "b" } }]);
    const query = "select id, cast(x as nvarchar(100)) as x from items where id = 1";
    expect((await poll(erp.stream({ query, key: "id" }))).changes).toMatchObject([
      { row: { x: "12345678901234.5678" } },
    ]);
  });

  it("pages by uniqueidentifier in its own order, and finds a key however it is written", async () => {
    await using erp = await open();
    const ids = Array.from({ length: 20 }, (_, at) => {
      const hex = ((at * 7919) % 65_536).toString(16).padStart(4, "0").toUpperCase();
      return `${hex}0000-${hex}-4EF8-BB6D-${hex}BD38${hex}`;
    });
    await erp.place.writer.run(`create table items (id uniqueidentifier primary key, n int);
      insert into items values ${ids.map((id, at) => `('${id}', ${at})`).join(", ")}`);
    for (const pageSize of [1, 7]) {
      const stream = erp.stream({ ...items, pageSize });
      expect((await poll(stream)).keys.toSorted()).toEqual(ids.toSorted());
      expect((await allKeys(stream)).toSorted()).toEqual(ids.toSorted());
    }
    const stream = erp.stream(items);
    expect(await stream.readOne(ids[3]!, never)).toEqual({ id: ids[3], n: 3 });
    expect(await stream.readOne("no identifier", never)).toBeUndefined();
  });

  it("pages by stamps of seven digits, many of them equal", async () => {
    await using erp = await open({ timezone: "UTC" });
    const rows = Array.from({ length: 60 }, (_, at) => `(${at}, '2025-03-01 10:00:00.000000${at % 3}')`).join(", ");
    await erp.place.writer.run(
      `create table items (id int primary key, at datetime2(7)); insert into items values ${rows}`,
    );
    const stream = erp.stream({ ...items, changed: "at", pageSize: 7 });
    const { keys, cursor } = await poll(stream);
    expect(keys).toHaveLength(60);
    await erp.place.writer.run("update items set at = sysutcdatetime() where id < 30");
    expect(new Set((await poll(stream, cursor)).keys).size).toBe(30);
  });

  it("reads tables of one name in a schema per company, and names with blanks, dollars and brackets", async () => {
    await using erp = await open();
    const { writer } = erp.place;
    for (const company of ["one", "two"])
      await writer.run(`create schema ${company}\ngo\ncreate table ${company}.items (id int primary key, name varchar(9));
        insert into ${company}.items values (1, '${company}')`);
    // Babelfish has no MIN_ACTIVE_ROWVERSION, and finds no name with a bracket in its catalog.
    const named = isBabelfish ? "CRONUS AG$Customer" : "CRONUS AG$Customer [x]";
    const stamped = isBabelfish ? '"timestamp" bigint identity' : '"timestamp" rowversion';
    const changed = { counter: "timestamp", kind: isBabelfish ? "sequence" : "rowversion" };
    await writer.run(`create table "${named}" ("No_" varchar(20) primary key, ${stamped}, "Name 2" nvarchar(50));
      insert into "${named}" ("No_", "Name 2") values ('10000', N'Möbel')`);
    for (const company of ["one", "two"]) {
      const { changes } = await poll(erp.stream({ table: `${company}.items`, key: "id" }));
      expect(changes).toMatchObject([{ key: "1", row: { name: company } }]);
    }
    const byVersion = { table: named, key: "No_", changed };
    const { changes, cursor } = await poll(erp.stream(byVersion));
    expect(changes).toMatchObject([{ key: "10000", row: { "Name 2": "Möbel" } }]);
    await writer.run(`insert into "${named}" ("No_") values ('20000')`);
    expect((await poll(erp.stream(byVersion), cursor)).keys).toContain("20000");
    const { catalog } = erp.source;
    // Babelfish lists names in small letters.
    const listed = (await catalog?.tables(never))?.map((name) => name.toLowerCase());
    expect(listed).toEqual([named.toLowerCase(), "one.items", "two.items"]);
    expect((await catalog!.table(named, never)).key.map((name) => name.toLowerCase())).toEqual(["no_"]);
    expect(await erp.stream(byVersion).check(never)).not.toContainEqual(
      expect.objectContaining({ verdict: "problem" }),
    );
  });

  it("reads a view of joined tables by its stamp, and says that it cannot know of an index", async () => {
    await using erp = await open({ timezone: "UTC" });
    const { writer } = erp.place;
    await writer.run(`create table heads (id int primary key, at datetime2(7)); create table details (id int, at datetime2(7));
      insert into heads values (1, '2025-01-01'), (2, '2025-01-01'); insert into details values (1, '2025-02-01')
      \ngo\ncreate view items as select h.id, case when d.at > h.at then d.at else h.at end as at
        from heads h left join details d on d.id = h.id`);
    const stream = erp.stream({ ...items, changed: "at" });
    const { keys, cursor } = await poll(stream);
    expect(keys).toEqual(["1", "2"]);
    await writer.run("update details set at = sysutcdatetime()");
    expect((await poll(stream, cursor)).keys).toEqual(["1"]);
    expect(JSON.stringify(await stream.check(never))).not.toContain("no index");
  });

  it("reads what a synonym stands for", async (context) => {
    if (isBabelfish) context.skip("Babelfish has no synonyms");
    await using erp = await open();
    await erp.place.writer
      .run(`create table kunden (id int primary key, name varchar(9)); insert into kunden values (1, 'a');
      create synonym items for kunden`);
    expect((await poll(erp.stream(items))).keys).toEqual(["1"]);
    expect(await erp.stream(items).check(never)).not.toContainEqual(expect.objectContaining({ verdict: "problem" }));
  });

  it("ends a statement that takes too long", async () => {
    await using erp = await open({ statementTimeout: "300ms" });
    const tens = "(values (1), (2), (3), (4), (5), (6), (7), (8), (9), (10))";
    const factors = Array.from({ length: 12 }, (_, at) => `${tens} t${at}(n)`).join(" cross join ");
    const query = `select count_big(*) as nr from ${factors}`;
    await expect(poll(erp.stream({ query, key: "nr" }))).rejects.toMatchObject({
      code: "E_SOURCE_TIMEOUT",
      family: "retry",
    });
  });

  it("makes a reader wait for a writer where snapshots are off, and the next poll reads what was written", async (context) => {
    if (isBabelfish) context.skip("in Babelfish readers never wait for writers");
    await using erp = await open({ statementTimeout: "500ms" });
    const { writer, url } = erp.place;
    const name = new URL(url).pathname.slice(1);
    await using other = await openWriter(mssqlUrl!);
    await writer.run("create table items (id int primary key, name varchar(9)); insert into items values (1, 'old')");
    await other.run(`alter database ${name} set read_committed_snapshot off with rollback immediate`);
    await using hand = await openWriter(url);
    await hand.run("begin transaction; update items set name = 'new'");
    const stream = erp.stream(items);
    expect(await thrownBy(poll(stream))).toMatchObject({ code: "E_SOURCE_TIMEOUT", family: "retry" });
    await hand.run("commit");
    expect((await poll(stream)).changes).toMatchObject([{ key: "1", row: { name: "new" } }]);
  });

  it("never shows a reader what is not committed", async () => {
    await using erp = await open();
    const { writer, url } = erp.place;
    await writer.run("create table items (id int primary key, name varchar(9)); insert into items values (1, 'old')");
    await using hand = await openWriter(url);
    await hand.run("begin transaction; update items set name = 'dirty'; insert into items values (2, 'dirty')");
    expect((await poll(erp.stream(items))).changes).toMatchObject([{ key: "1", row: { name: "old" } }]);
    await hand.run("rollback");
  });
});

describe.runIf(mssqlUrl !== undefined)("keys in SQL Server", () => {
  it("that differ in case or in trailing blanks only are one key to a unique index, and read as written", async () => {
    await using erp = await open();
    const { writer } = erp.place;
    await writer.run("create table items (nr varchar(20) collate Latin1_General_CI_AS primary key)");
    await writer.run("insert into items values ('Abc '), ('x')");
    await expect(writer.run("insert into items values ('ABC')")).rejects.toThrow(/unique|duplicate/i);
    expect((await keysOf(erp)).keys).toEqual(["Abc ", "x"]);
    const stream = erp.stream({ table: "items", key: "nr" });
    expect(await stream.readOne("Abc ", never)).toEqual({ nr: "Abc " });
    for (const other of ["Abc", "abc "]) expect(await stream.readOne(other, never)).toBeUndefined();
  });

  it.each(["Latin1_General_CI_AS", "Latin1_General_100_BIN2", "SQL_Latin1_General_CP1_CI_AS"])(
    "of a varchar with the collation %s are paged in its order",
    async (collation) => {
      await using erp = await open();
      const keys = ["a", "B", "c", "D", "Ä", "ö", "ß", "ss", "co-op", "coop", "1", "10", "2"];
      await erp.place.writer.run(`create table items (nr varchar(20) collate ${collation} primary key, n int);
        insert into items values ${keys.map((key, at) => `(N'${key}', ${at})`).join(", ")}`);
      expect((await keysOf(erp)).keys.toSorted()).toEqual(keys.toSorted());
      for (const [n, nr] of keys.entries())
        expect(await erp.stream({ table: "items", key: "nr" }).readOne(nr, never)).toEqual({ nr, n });
    },
  );

  it("of a varchar whose code page is not that of its database are read and found", async () => {
    await using erp = await open();
    const keys = ["Ж1", "Ж2", "Я1", "А1", "x"];
    await erp.place.writer.run(`create table items (nr varchar(20) collate Cyrillic_General_CI_AS primary key);
      insert into items values ${keys.map((key) => `(N'${key}')`).join(", ")}`);
    expect((await keysOf(erp)).keys.toSorted()).toEqual(keys.toSorted());
    for (const nr of keys) expect(await erp.stream({ table: "items", key: "nr" }).readOne(nr, never)).toEqual({ nr });
  });
});

describe.runIf(mssqlUrl !== undefined)("a connection to SQL Server", () => {
  it("is refused where the certificate is the server's own, unless that is trusted", async (context) => {
    if (process.env["MSSQL_TEST_CA"] === "public")
      context.skip("MSSQL_TEST_CA=public: an authority signed the certificate");
    expect(await messageOf(mssqlUrl!, {})).toContain("E_SOURCE_TLS");
    expect(await messageOf(mssqlUrl!)).toContain("answers");
  });

  it("is checked against the authority that the sync file names", async (context) => {
    const caFile = process.env["MSSQL_TEST_CA"];
    if (caFile === undefined || caFile === "public")
      context.skip("MSSQL_TEST_CA names no file with the authority of the server's certificate");
    const serverName = process.env["MSSQL_TEST_NAME"];
    const tls = { mode: "verify", caFile, ...(serverName === undefined ? {} : { serverName }) };
    expect(await messageOf(mssqlUrl!, { tls })).toContain("answers");
    expect(await messageOf(mssqlUrl!, { tls: { ...tls, serverName: "other.example" } })).toContain("E_SOURCE_TLS");
  });

  it("names a wrong password and never shows it, and a database that does not exist", async () => {
    const url = new URL(mssqlUrl!);
    url.password = "hunter2";
    const said = await messageOf(url.href);
    expect(said).toContain("E_SOURCE_LOGIN");
    expect(said).not.toContain("hunter2");
    const other = new URL(mssqlUrl!);
    other.pathname = "nowhere";
    // Babelfish gives errors numbers of its own.
    expect(await messageOf(other.href)).toContain(isBabelfish ? "does not exist" : "E_SOURCE_DATABASE");
  });

  it("names a table that its user may not read", async () => {
    await using login = await openLogin();
    await using erp = await open();
    await erp.place.writer.run(
      "create table secrets (nr varchar(9)); create table items (nr varchar(9)); insert into items values ('a')",
    );
    const url = await login.enter(erp.place);
    await erp.place.writer.run(`grant select on items to ${login.name}`);
    const adapter = adapters.get("sql")!;
    const parsed = { url, ...ownTls("mssql") };
    await using source = await adapter.open(adapter.settings.parse(parsed), openContext(systemClock));
    const read = (table: string) => poll(source.stream("s", adapter.read.parse({ table, key: "nr" })));
    await expect(read("secrets")).rejects.toMatchObject({
      // Babelfish gives this error no number of SQL Server.
      code: isBabelfish ? "E_SOURCE_QUERY" : "E_SOURCE_FORBIDDEN",
      family: "park",
      message: expect.stringMatching(/permission/i),
    });
    expect((await read("items")).keys).toEqual(["a"]);
    const session = await engineOf(settings.parse(parsed)).connect();
    await expect(session.query("insert into items values ('b')", [], never)).rejects.toThrow(/permission/i);
    await session.end();
  });

  it("that the server ends is a reason to try again", async () => {
    await using erp = await open();
    await erp.place.writer.run("create table items (id int primary key); insert into items values (1), (2), (3)");
    const stream = erp.stream({ ...items, pageSize: 1 });
    const reading = async () => {
      for await (const { changes } of stream.changes(null, never)) if (changes.length > 0) await erp.place.cut!();
    };
    expect(await thrownBy(reading())).toBeInstanceOf(RetryError);
    expect((await poll(stream)).keys).toEqual(["1", "2", "3"]);
  });
});
