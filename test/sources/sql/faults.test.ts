import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { adapters } from "#sources";
import { engineOf } from "../../../src/sources/sql/engines/engines.ts";
import { settings } from "../../../src/sources/sql/settings.ts";
import { answerAhead } from "../../kit/answer-ahead.ts";
import { openContext, poll } from "../reading.ts";
import { openSql } from "./opened.ts";
import { dialects, useServers } from "./servers.ts";
import { never } from "../../kit/outcome.ts";

const servers = useServers();

async function messageOf(url: string): Promise<string> {
  const adapter = adapters.get("sql")!;
  await using source = await adapter.open(adapter.settings.parse({ url }), openContext(systemClock));
  return JSON.stringify(await source.check(never));
}

describe("sessions", () => {
  it.each(dialects.filter((dialect) => dialect !== "mssql"))("cannot write in %s", async (dialect) => {
    await using erp = await servers.open(dialect);
    await erp.place.writer.run("create table items (nr varchar(9))");
    const session = await engineOf(settings.parse({ url: erp.place.url })).connect();
    await expect(session.query("insert into items values ('a') returning nr", [], never)).rejects.toThrow(
      /read.?only/i,
    );
    await session.end();
  });

  it.each([
    ["postgres", "select pg_sleep(60), 1 as nr"],
    ["mysql", "select sleep(60), 1 as nr"],
  ] as const)("end a statement that takes too long in %s", async (dialect, query) => {
    await using erp = await servers.open(dialect, { statementTimeout: "300ms" });
    await expect(poll(erp.stream({ query, key: "nr" }))).rejects.toMatchObject({
      code: "E_SOURCE_TIMEOUT",
      family: "retry",
    });
  });

  it("are given up at once in postgres if they return the answers to earlier messages", async () => {
    await using erp = await openSql("postgres", servers.postgres.url);
    await erp.place.writer.run("create table items (nr varchar(9)); insert into items values ('a')");
    await using way = await answerAhead(erp.place.url);
    const engine = engineOf(settings.parse({ url: way.url }));
    way.insertBefore("echo");
    await expect(engine.connect().catch((error: unknown) => Promise.reject(engine.fault(error)))).rejects.toMatchObject(
      {
        code: "E_SOURCE_UNREACHABLE",
      },
    );
    const session = await engine.connect();
    expect((await session.query("select nr from items", [], never)).rows).toEqual([["a"]]);
    await session.end();
  });

  it("end a statement of SQLite between two rows when it takes too long", async () => {
    await using erp = await openSql("sqlite", undefined, { statementTimeout: "50ms" });
    await erp.place.writer.run(`create table items (nr integer primary key);
      with recursive n(nr) as (select 1 union all select nr + 1 from n limit 2000) insert into items select nr from n`);
    const slowly = "(select count(*) from items a, items b where a.nr <> items.nr) > 0";
    await expect(poll(erp.stream({ query: `select nr from items where ${slowly}`, key: "nr" }))).rejects.toMatchObject({
      code: "E_SOURCE_TIMEOUT",
    });
  });
});

describe("errors", () => {
  it("name a wrong password and never show it", async () => {
    await using erp = await openSql("postgres", servers.postgres.url);
    await erp.place.writer.run("create role someone login password 'right'");
    const url = new URL(servers.mariadb.url);
    url.password = "hunter2";
    const said = await messageOf(url.href);
    expect(said).toContain("E_SOURCE_LOGIN");
    expect(said).not.toContain("hunter2");
  });

  it.each(["postgres", "mysql"] as const)("name a database that does not exist in %s", async (dialect) => {
    const url = new URL(servers.url(dialect)!);
    url.pathname = "nowhere";
    expect(await messageOf(url.href)).toContain("E_SOURCE_DATABASE");
  });

  it("name a file that is no database", async () => {
    expect(await messageOf("sqlite:package.json")).toContain("E_SOURCE_DATABASE");
  });

  it.each(["postgres", "mysql"] as const)("name a server without TLS in %s", async (dialect) => {
    const adapter = adapters.get("sql")!;
    const parsed = adapter.settings.parse({ url: servers.url(dialect), tls: { mode: "trust" } });
    await using source = await adapter.open(parsed, openContext(systemClock));
    expect(JSON.stringify(await source.check(never))).toContain("E_SOURCE_TLS");
  });

  it.each(dialects)("suggest the table and the column that were meant in %s", async (dialect) => {
    await using erp = await servers.open(dialect);
    await erp.place.writer.run("create table customers (customer_no varchar(9), updated_at varchar(20))");
    await expect(poll(erp.stream({ table: "custmers", key: "customer_no" }))).rejects.toMatchObject({
      code: "E_SOURCE_TABLE",
      message: expect.stringContaining("did you mean customers?"),
    });
    await expect(poll(erp.stream({ table: "customers", key: "custmer_no" }))).rejects.toMatchObject({
      code: "E_SOURCE_COLUMN",
      message: expect.stringContaining("did you mean customer_no?"),
    });
  });

  it.each(["postgres", "mysql"] as const)(
    "suggest a table with its schema in %s, and never the same again",
    async (dialect) => {
      await using erp = await servers.open(dialect);
      const { writer } = erp.place;
      const schema = `${new URL(erp.place.url).pathname.slice(1)}_sales`;
      await writer.run(
        `create schema ${schema}; create table ${schema}.kunden (nr varchar(9)); create table kunden (nr varchar(9))`,
      );
      const found = async (table: string) =>
        (await erp.stream({ table, key: "nr" }).check(never)).map(({ message }) => message).join();
      try {
        expect(await found(`${schema}.kundn`)).toContain(`no table ${schema}.kundn; did you mean ${schema}.kunden?`);
        expect(await found(`${schema}x.kunden`)).toContain(`did you mean ${schema}.kunden?`);
        expect(await found("kundn")).toContain("no table kundn; did you mean kunden?");
        await writer.run(`drop table ${schema}.kunden`);
        expect(await found(`${schema}.kunden`)).not.toContain(`did you mean ${schema}.kunden`);
      } finally {
        await writer.run(`drop schema ${schema}${dialect === "postgres" ? " cascade" : ""}`);
      }
    },
  );

  it.each(["postgres", "mysql"] as const)("name a table that the user may not read in %s", async (dialect) => {
    await using erp = await servers.open(dialect);
    const { writer } = erp.place;
    await writer.run("create table secrets (nr varchar(9)); create table open_table (nr varchar(9))");
    const name = `reader_${dialect}`;
    const url = new URL(erp.place.url);
    url.username = name;
    url.password = "reader";
    if (dialect === "postgres")
      await writer.run(`create role ${name} login password 'reader'; grant select on open_table to ${name}`);
    else
      await writer.run(
        `create user ${name}@'%' identified by 'reader'; grant select on ${url.pathname.slice(1)}.open_table to ${name}@'%'`,
      );
    const adapter = adapters.get("sql")!;
    await using source = await adapter.open(adapter.settings.parse({ url: url.href }), openContext(systemClock));
    const read = (table: string) => poll(source.stream("s", adapter.read.parse({ table, key: "nr", changed: "nr" })));
    await expect(read("secrets")).rejects.toMatchObject({ code: "E_SOURCE_FORBIDDEN", family: "park" });
    // Without the right to see others' transactions a poll works by its overlap alone.
    expect((await read("open_table")).keys).toEqual([]);
    if (dialect === "postgres") await writer.run(`drop owned by ${name}; drop role ${name}`);
  });
});
