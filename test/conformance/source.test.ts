import { afterAll, beforeAll } from "vitest";
import { startMariadb, type TestMariadb } from "../setup/mariadb.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { sqlSubjects } from "../sources/sql/subjects.ts";
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

const mssqlUrl = process.env["MSSQL_URL"];
const mssqlAbsent = mssqlUrl === undefined ? "not proven here (no server): see test/sources/sql/mssql" : undefined;

const table = keptTable();
for (const subject of [
  ...sqlSubjects("SQLite", "sqlite", () => undefined),
  ...sqlSubjects("PostgreSQL", "postgres", () => postgres?.url),
  ...sqlSubjects("MariaDB", "mysql", () => mariadb?.url),
  ...sqlSubjects("SQL Server", "mssql", () => mssqlUrl, mssqlAbsent),
])
  describeSource(subject, table);
