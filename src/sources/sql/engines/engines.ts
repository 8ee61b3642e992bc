import { StopError } from "#model";
import type { Engine } from "./engine.ts";
import { mssqlEngine } from "../mssql/mssql-engine.ts";
import { mysqlEngine } from "../mysql/mysql-engine.ts";
import { postgresEngine } from "../postgres/postgres-engine.ts";
import type { SqlSettings } from "../settings.ts";
import { sqliteEngine } from "./sqlite-engine.ts";

/** The engine that the URL names. */
export function engineOf(settings: SqlSettings): Engine {
  const scheme = settings.url.slice(0, settings.url.indexOf(":")).toLowerCase();
  switch (scheme) {
    case "sqlite":
    case "file":
      return sqliteEngine(settings);
    case "postgres":
    case "postgresql":
      return postgresEngine(settings);
    case "mysql":
    case "mariadb":
      return mysqlEngine(settings);
    case "mssql":
    case "sqlserver":
      return mssqlEngine(settings);
    default:
      throw new StopError("E_SOURCE_DATABASE", `no database is named by ${scheme}:`);
  }
}
