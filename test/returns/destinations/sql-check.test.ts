import { describe, expect, it } from "vitest";
import type { Finding } from "#model";
import { never } from "../../kit/outcome.ts";
import { OffsetClock } from "../../kit/clock.ts";
import { openLogin } from "../../sources/sql/mssql/login.ts";
import { mssqlUrl } from "../../sources/sql/mssql/server.ts";
import { ownTls, type Opened } from "../../sources/sql/opened.ts";
import { dialects, useServers } from "../../sources/sql/servers.ts";
import { addColumn } from "../../sources/sql/statements.ts";
import { inboxDdl } from "../../../src/returns/destinations/sql/ddl.ts";
import { destinationIn, opened, report, reports, states, withInbox } from "./sql-inbox.ts";

const servers = useServers();

const messages = (findings: readonly Finding[]) => findings.map(({ message }) => message).join("\n");

async function check(erp: Opened, stream = reports): Promise<readonly Finding[]> {
  await using destination = destinationIn(erp.source, stream);
  return await destination.check(never);
}

describe.each(dialects)("the check of an inbox in %s", (dialect) => {
  const inbox = async () => withInbox(await servers.open(dialect), dialect);

  it("finds the inbox of the DDL in order, and leaves nothing behind", async () => {
    await using erp = await inbox();
    for (const stream of [reports, states]) {
      const [first, ...others] = await check(erp, stream);
      expect(first).toMatchObject({ verdict: "ok", message: expect.stringContaining("each return once") });
      // The user of this test may do everything.
      expect(others.every(({ verdict }) => verdict === "warning")).toBe(true);
    }
    for (const table of ["returns", "return_lines", "states", "answers"])
      expect(await erp.place.writer.one(`select count(*) from svcsync_${table}`)).toBe("0");
    await using destination = destinationIn(erp.source);
    expect(await destination.deliver(report(1), never)).toBe("written");
    expect(await check(erp)).toContainEqual(expect.objectContaining({ verdict: "ok" }));
  });

  it("names tables and columns that are missing", async () => {
    await using erp = await servers.open(dialect);
    expect(await check(erp)).toEqual([
      expect.objectContaining({
        verdict: "problem",
        code: "E_RETURN_INBOX",
        message: expect.stringContaining("svcsync_returns"),
      }),
    ]);
    await withInbox(erp, dialect);
    const findings = await check(erp, { ...reports, columns: ["order_no", "finshed_at", "x"] });
    expect(messages(findings)).toContain("svcsync_returns has no column finshed_at; did you mean finished_at?");
    expect(messages(findings)).toContain("svcsync_returns has no column x; it has return_id");
  });

  it("finds an inbox that could hold the same twice", async () => {
    await using erp = await servers.open(dialect);
    const [change = "change", long = "text", moment = "timestamp"] =
      { mysql: ["`change`"], mssql: ['"change"', "nvarchar(max)", "datetimeoffset"] }[dialect as string] ?? [];
    const loose = `create table svcsync_returns (return_id varchar(120), stream varchar(40), service_id bigint, version int, kind varchar(12),
        replaces varchar(120), line_count int, content_hash varchar(64), payload ${long}, order_no varchar(20), finished_at varchar(40));
      create table svcsync_return_lines (return_id varchar(120), line_no int, line_kind varchar(12), line_id bigint, ${change} varchar(8),
        amount decimal(18, 4), amount_before decimal(18, 4), article varchar(20), text varchar(200));
      create table svcsync_answers (return_id varchar(120), result varchar(8), document varchar(60), message ${long}, answered_at ${moment})`;
    await erp.place.writer.run(loose);
    const said = messages(await check(erp));
    expect(said).toContain("svcsync_returns has no unique key on return_id");
    expect(said).toContain("svcsync_returns has no unique key on stream, service_id and version");
    expect(said).toContain("svcsync_return_lines has no unique key on return_id and line_no");
    expect(await erp.place.writer.one("select count(*) from svcsync_returns")).toBe("0");
  });

  it("finds a column that nobody fills", async () => {
    await using erp = await inbox();
    await erp.place.writer.run(addColumn(dialect, "svcsync_returns", "company varchar(9) not null default 'x'"));
    expect(messages(await check(erp))).toContain("each return once");
    await erp.place.writer.run(
      "drop view svcsync_open; drop table svcsync_returns; create table svcsync_returns (return_id varchar(120) primary key, company int not null)",
    );
    const said = messages(await check(erp, { ...reports, answers: undefined }));
    expect(said).toContain("company");
    expect(said).toContain("must not be NULL, and svcsync does not fill it");
  });
});

describe("the check of rights", () => {
  it("finds a user of PostgreSQL that may do too much, too little, and just enough", async () => {
    await using erp = await withInbox(await servers.open("postgres"), "postgres");
    await erp.place.writer.run(
      "create role lane login; grant select on svcsync_returns, svcsync_return_lines, svcsync_answers to lane",
    );
    await using source = await opened(erp.place.url.replace("svcsync@", "lane@"));
    await using destination = destinationIn(source);
    expect(await destination.check(never)).toEqual([
      expect.objectContaining({ verdict: "problem", message: expect.stringContaining("permission denied") }),
    ]);
    await expect(destination.deliver(report(1), never)).rejects.toMatchObject({ code: "E_RETURN_INBOX", details: {} });
    await erp.place.writer.run("grant insert on svcsync_returns, svcsync_return_lines to lane");
    expect((await destination.check(never)).map(({ verdict }) => verdict)).toEqual(["ok"]);
    expect(await destination.deliver(report(1), never)).toBe("written");
    await erp.place.writer.run(
      "grant update (kind) on svcsync_returns to lane; grant delete on svcsync_return_lines to lane",
    );
    expect(messages(await destination.check(never))).toMatch(
      /may update rows of svcsync_returns,.*\n.*may delete rows of svcsync_return_lines,/,
    );
  });

  it("finds a user of MariaDB that may do too much, too little, and just enough", async () => {
    await using erp = await withInbox(await servers.open("mysql"), "mysql");
    const { writer, url } = erp.place;
    const database = new URL(url).pathname.slice(1);
    const on = (table: string) => `${database}.svcsync_${table}`;
    await writer.run("drop user if exists lane@'%'");
    await writer.run("create user lane@'%' identified by 'lane'");
    for (const table of ["returns", "return_lines", "answers"])
      await writer.run(`grant select on ${on(table)} to lane@'%'`);
    await using source = await opened(url.replace("svcsync:svcsync@", "lane:lane@"));
    await using destination = destinationIn(source);
    expect(messages(await destination.check(never))).toContain("no row can be added");
    for (const table of ["returns", "return_lines"]) await writer.run(`grant insert on ${on(table)} to lane@'%'`);
    expect((await destination.check(never)).map(({ verdict }) => verdict)).toEqual(["ok"]);
    expect(await destination.deliver(report(1), never)).toBe("written");
    await writer.run(`grant delete on ${on("returns")} to lane@'%'`);
    expect(messages(await destination.check(never))).toContain("may delete rows of svcsync_returns,");
  });

  it.runIf(mssqlUrl !== undefined)(
    "finds a user of SQL Server with too few rights, and with those of the DDL",
    async () => {
      await using login = await openLogin();
      await using erp = await withInbox(await servers.open("mssql"), "mssql");
      const url = await login.enter(erp.place);
      const grant = (rights: string) => erp.place.writer.run(`grant ${rights} to ${login.name}`);
      for (const table of ["returns", "return_lines", "answers"]) await grant(`select on svcsync_${table}`);
      await using source = await opened(url, ownTls("mssql"));
      await using destination = destinationIn(source);
      expect(messages(await destination.check(never))).toContain("no row can be added");
      const rights = [...inboxDdl("mssql", [reports]).matchAll(/\bgrant (.*?) to svcsync;/g)].map(
        ([, right]) => right!,
      );
      expect(rights).toHaveLength(3);
      for (const right of rights) await grant(right);
      expect((await destination.check(never)).map(({ verdict }) => verdict)).toEqual(["ok"]);
      expect(await destination.deliver(report(1), never)).toBe("written");
    },
  );

  it("finds a table of MariaDB that cannot take rows back, and adds nothing to it", async () => {
    await using erp = await withInbox(await servers.open("mysql"), "mysql");
    await erp.place.writer.run("alter table svcsync_return_lines engine = MyISAM");
    expect(messages(await check(erp))).toContain("svcsync_return_lines cannot take back what was added");
    expect(await erp.place.writer.one("select count(*) from svcsync_return_lines")).toBe("0");
  });

  it("finds keys of MariaDB that it does not tell apart", async () => {
    await using erp = await withInbox(await servers.open("mysql"), "mysql");
    await erp.place.writer.run(
      "alter table svcsync_states modify record_key varchar(190) character set utf8mb4 collate utf8mb4_general_ci not null",
    );
    expect(messages(await check(erp, states))).toContain("differ only in case");
  });

  it("finds a clock that differs", async () => {
    await using erp = await withInbox(await servers.open("postgres"), "postgres");
    await using source = await opened(erp.place.url, {}, new OffsetClock(60_000));
    await using destination = destinationIn(source);
    expect(messages(await destination.check(never))).toMatch(/clock of the inbox is (59|60)\.\d s behind/);
  });
});
