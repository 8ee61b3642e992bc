import { afterAll, beforeAll } from "vitest";
import { startMariadb, type TestMariadb } from "../../setup/mariadb.ts";
import { startPostgres, type TestPostgres } from "../../setup/postgres.ts";
import { openSql, type Opened } from "./opened.ts";
import type { DialectName } from "./shapes.ts";

/** Every kind of database that a test run can start. */
export const dialects = ["sqlite", "postgres", "mysql"] as const;

export interface Servers {
  readonly postgres: TestPostgres;
  readonly mariadb: TestMariadb;
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
  return {
    get postgres() {
      return postgres;
    },
    get mariadb() {
      return mariadb;
    },
    async open(dialect, settings) {
      const urls: Readonly<Record<string, string>> = {
        postgres: postgres.url,
        mysql: process.env["MYSQL_TEST_URL"] ?? mariadb.url,
      };
      return await openSql(dialect, urls[dialect], settings);
    },
  };
}
