import { afterAll, beforeAll } from "vitest";
import { startMariadb, type TestMariadb } from "../setup/mariadb.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { sqlSubjects } from "../sources/sql/subjects.ts";
import { mssqlAbsent, mssqlServer, mssqlUrl } from "../sources/sql/mssql/server.ts";
import { describeSource, keptTable } from "./source-contract.ts";

let postgres: TestPostgres | undefined;
let mariadb: TestMariadb | undefined;

beforeAll(async () => {
  [postgres, mariadb] = await Promise.all([startPostgres(), startMariadb()]);
});
afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
  await mariadb?.[Symbol.asyncDispose]();
});

const lacksTracking = mssqlUrl !== undefined && (await mssqlServer()).isBabelfish;

const table = keptTable();
for (const subject of [
  ...sqlSubjects("SQLite", "sqlite", () => undefined),
  ...sqlSubjects("PostgreSQL", "postgres", () => postgres?.url),
  ...sqlSubjects("MariaDB", "mysql", () => mariadb?.url),
  ...sqlSubjects("SQL Server", "mssql", () => mssqlUrl, { absent: mssqlAbsent, lacksTracking }),
])
  describeSource(subject, table);
