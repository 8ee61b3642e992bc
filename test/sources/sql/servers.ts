import { afterAll, beforeAll } from "vitest";
import { startMariadb, type TestMariadb } from "../../setup/mariadb.ts";
import { startPostgres, type TestPostgres } from "../../setup/postgres.ts";
import { expectMssql, mssqlUrl } from "./mssql/server.ts";
import { openSql, type Opened } from "./opened.ts";
import type { DialectName } from "./shapes.ts";

/** Every kind of database that a test run can start, and SQL Server where the environment names one. */
export const dialects: readonly DialectName[] = [
  "sqlite",
  "postgres",
  "mysql",
  ...(mssqlUrl === undefined ? [] : ["mssql" as const]),
];

export interface Servers {
  readonly postgres: TestPostgres;
  readonly mariadb: TestMariadb;
  /** The address of a server; undefined for a file. */
  readonly url: (dialect: DialectName) => string | undefined;
  /** An empty database of this kind, opened as a source. */
  readonly open: (dialect: DialectName, settings?: Readonly<Record<string, unknown>>) => Promise<Opened>;
}

/** A PostgreSQL and a MariaDB for all tests of the file that calls this at its top. */
export function useServers(): Servers {
  let postgres: TestPostgres;
  let mariadb: TestMariadb;
  beforeAll(async () => {
    [postgres, mariadb] = await Promise.all([startPostgres(), startMariadb()]);
  });
  afterAll(async () => {
    await postgres[Symbol.asyncDispose]();
    await mariadb[Symbol.asyncDispose]();
  });
  expectMssql();
  const url = (dialect: DialectName) =>
    ({
      sqlite: undefined,
      postgres: postgres.url,
      mysql: process.env["MYSQL_TEST_URL"] ?? mariadb.url,
      mssql: mssqlUrl,
    })[dialect];
  return {
    get postgres() {
      return postgres;
    },
    get mariadb() {
      return mariadb;
    },
    url,
    open: (dialect, settings) => openSql(dialect, url(dialect), settings),
  };
}
