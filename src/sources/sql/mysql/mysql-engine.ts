import { sql } from "kysely";
import { SyncError } from "#model";
import type { Column } from "../read/column.ts";
import { compilerOf, unsetText } from "../compile.ts";
import type { Ask, Cell, Engine, Moment, Sql } from "../engines/engine.ts";
import { mysqlFault } from "./mysql-fault.ts";
import type { SqlSettings } from "../settings.ts";
import { seenTables } from "../engines/seen-tables.ts";

/** MariaDB 10.5 and later, MySQL 8 and later. Values travel as text and are cast to the type of the column they meet. */
export function mysqlEngine(settings: SqlSettings): Engine {
  return {
    name: "mysql",
    compiler: compilerOf("mysql"),
    // The optimizer uses no index for `(a, b) >= (x, y)`.
    rowValues: false,
    // Open transactions are shown with a delay of a tenth of a second, and not to everyone.
    exactSequence: false,
    // The driver is loaded when it is needed: no command waits for those of other databases.
    connect: async () => (await import("./mysql-session.ts")).connectMysql(settings),
    limit: (count) => sql`limit ${sql.lit(count)}`,
    exact: (column) =>
      column.type.startsWith("bit") ? sql`cast(${sql.id(column.name)} as unsigned)` : sql.id(column.name),
    bound,
    equals(column, text) {
      const number = column.kind === "integer" || column.kind === "decimal";
      if (number && !/^-?\d+(\.\d+)?$/.test(text)) return sql`1 = 0`;
      return sql`${sql.id(column.name)} = ${bound(text, column)}`;
    },
    unset(column, text) {
      const name = sql.id(column.name);
      const dated = column.kind === "instant" || column.kind === "datetime" || column.kind === "date";
      // Equality, which an index of a TIMESTAMP column serves where `<` does not.
      return dated ? sql`(${name} is null or ${name} = '0000-00-00 00:00:00')` : unsetText(name, text);
    },
    moment,
    async version(ask) {
      const { rows } = await ask(sql`select version()`);
      const version = String(rows[0]![0]);
      return version.includes("MariaDB") ? `MariaDB ${version.split("-")[0]}` : `MySQL ${version}`;
    },
    async tables(ask) {
      const { rows } = await ask(sql`
        select table_schema, table_name, table_schema = database() from information_schema.tables
        where table_schema not in ('information_schema', 'mysql', 'performance_schema', 'sys')`);
      return seenTables(rows);
    },
    async primaryKey(ask, table) {
      const { schema, name } = placeOf(table);
      const { rows } = await ask(sql`
        select column_name from information_schema.statistics
        where table_schema = ${schema} and table_name = ${name} and index_name = 'PRIMARY' order by seq_in_index`);
      return rows.map(([column]) => String(column));
    },
    async indexed(ask, table, column) {
      const { schema, name } = placeOf(table);
      const { rows } = await ask(sql`
        select t.table_type, exists (
          select 1 from information_schema.statistics s
          where s.table_schema = t.table_schema and s.table_name = t.table_name
            and s.seq_in_index = 1 and s.column_name = ${column})
        from information_schema.tables t where t.table_schema = ${schema} and t.table_name = ${name}`);
      const [type, found] = rows[0] ?? [];
      return type === "BASE TABLE" ? Number(found) === 1 : undefined;
    },
    fault: mysqlFault,
  };
}

function placeOf(table: string): { schema: Sql; name: string } {
  const at = table.lastIndexOf(".");
  return { schema: at < 0 ? sql`database()` : sql`${table.slice(0, at)}`, name: table.slice(at + 1) };
}

function bound(cell: Cell, column: Column): Sql {
  const text = cell === null ? null : String(cell);
  switch (column.kind) {
    case "integer":
      return column.type.endsWith("unsigned") ? sql`cast(${text} as unsigned)` : sql`cast(${text} as signed)`;
    case "decimal":
      return sql`cast(${text} as decimal(65, 20))`;
    case "instant":
    case "datetime":
      return sql`cast(${text} as datetime(6))`;
    case "date":
      return sql`cast(${text} as date)`;
    case "time":
      return sql`cast(${text} as time(6))`;
    case "float":
      return sql`cast(${text} as double)`;
    case "text":
    case "json":
    case "boolean":
    case "binary":
    case "rowversion":
    case "any":
    case "any-datetime":
      return sql`${text}`;
  }
}

/**
 * Open transactions are shown only to users with the PROCESS privilege, and from a cache that one reader refreshes at most
 * every 0.1 s: they make the mark wait for long transactions, and the overlap covers the short ones.
 */
async function moment(ask: Ask): Promise<Moment> {
  const clock = await ask(sql`select unix_timestamp(now(3))`);
  return { atMs: Math.floor(Number(clock.rows[0]![0]) * 1000), open: await openTransactions(ask), oldestMs: undefined };
}

async function openTransactions(ask: Ask): Promise<readonly string[] | undefined> {
  try {
    const { rows } = await ask(sql`
      select concat(trx_mysql_thread_id, '@', trx_started) from information_schema.innodb_trx
      where trx_mysql_thread_id <> connection_id()`);
    return rows.map(([name]) => String(name));
  } catch (error) {
    if (error instanceof SyncError && error.code === "E_SOURCE_FORBIDDEN") return undefined;
    throw error;
  }
}
