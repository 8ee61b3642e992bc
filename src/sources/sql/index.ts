import { defineAdapter } from "../adapter.ts";
import { read } from "./read.ts";
import { settings } from "./settings.ts";

/** PostgreSQL, MariaDB and MySQL, SQL Server and SQLite: any table, view or query as a stream. Writes to nothing but an inbox. */
export const sqlAdapter = defineAdapter({
  name: "sql",
  settings,
  read,
  inbox: "tables",
  open: async (...of) => new (await import("./source.ts")).SqlSource(...of),
});
