import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { mssqlServer } from "./mssql/server.ts";
import type { DialectName } from "./shapes.ts";
import { openWriter, type Writer } from "./writer.ts";

/** An empty database of a test's own. */
export interface Place extends AsyncDisposable {
  readonly url: string;
  readonly writer: Writer;
  /** Ends the connections that svcsync holds; undefined where there are none. */
  readonly cut: (() => Promise<void>) | undefined;
  /** The same database where nobody answers. */
  readonly deadUrl: string;
}

let count = 0;

/** `server`: the URL of a server whose user may create databases; SQLite needs none. */
export async function openPlace(dialect: DialectName, server: string | undefined): Promise<Place> {
  return server === undefined ? await openFile() : await openDatabase(dialect, server);
}

async function openFile(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-sql-"));
  const url = `sqlite:${join(folder, "erp.db")}`;
  const writer = await openWriter(url);
  return {
    url,
    writer,
    cut: undefined,
    deadUrl: `sqlite:${join(folder, "missing.db")}`,
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openDatabase(dialect: DialectName, server: string): Promise<Place> {
  const name = `svcsync_test_${process.pid}_${++count}`;
  const admin = await openWriter(server);
  const create = () => admin.run(`create database ${name}`);
  // Babelfish refuses to make two databases at the same moment.
  await (dialect === "mssql" ? vi.waitFor(create, { timeout: 60_000, interval: 50 }) : create());
  if (dialect === "mssql" && !(await mssqlServer()).isBabelfish) await admin.run(snapshots(name));
  const url = new URL(server);
  url.pathname = name;
  const writer = await openWriter(url.href);
  const dead = new URL(url);
  dead.port = "1";
  return {
    url: url.href,
    writer,
    cut: () => cuts[dialect](admin, name),
    deadUrl: dead.href,
    async [Symbol.asyncDispose]() {
      await writer[Symbol.asyncDispose]();
      const drop = await drops[dialect](name);
      // Babelfish has no way to end the sessions that are still closing.
      await vi.waitFor(() => admin.run(drop), { timeout: 60_000, interval: 50 });
      await admin[Symbol.asyncDispose]();
    },
  };
}

/** SQL Server: readers do not wait for writers, and changes are tracked. */
function snapshots(name: string): string {
  return `alter database ${name} set read_committed_snapshot on;
    alter database ${name} set change_tracking = on (change_retention = 2 days)`;
}

const drops: Readonly<Record<DialectName, (name: string) => string | Promise<string>>> = {
  sqlite: () => "",
  postgres: (name) => `drop database ${name} with (force)`,
  mysql: (name) => `drop database ${name}`,
  mssql: async (name) => {
    const { isBabelfish } = await mssqlServer();
    return `${isBabelfish ? "" : `alter database ${name} set single_user with rollback immediate; `}drop database ${name}`;
  },
};

const cuts: Readonly<Record<DialectName, (admin: Writer, name: string) => Promise<void>>> = {
  sqlite: async () => undefined,
  postgres: cutPostgres,
  mysql: cutMysql,
  mssql: cutMssql,
};

async function cutMssql(admin: Writer, name: string): Promise<void> {
  const kills = await admin.one(`select string_agg(concat('kill ', session_id), '; ') from sys.dm_exec_sessions
    where program_name = 'svcsync' and database_id = db_id('${name}')`);
  if (kills !== "null") await admin.run(kills);
}

async function cutPostgres(admin: Writer, name: string): Promise<void> {
  await admin.run(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = '${name}' and application_name = 'svcsync'`);
}

/** svcsync's sessions are those that cannot write; the writer's sleep in the same database. */
async function cutMysql(admin: Writer, name: string): Promise<void> {
  const ids = await admin.one(`select group_concat(id) from information_schema.processlist
    where db = '${name}' and id > (select min(id) from information_schema.processlist where db = '${name}')`);
  for (const id of ids.split(",").filter((id) => /^\d+$/.test(id))) await admin.run(`kill ${id}`);
}
