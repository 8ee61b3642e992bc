import {
  DummyDriver,
  Kysely,
  MssqlAdapter,
  MssqlIntrospector,
  MssqlQueryCompiler,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import type { Sql, StampText } from "./engines/engine.ts";

const dialects = {
  sqlite: [SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler],
  postgres: [PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler],
  mysql: [MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler],
  mssql: [MssqlAdapter, MssqlIntrospector, MssqlQueryCompiler],
} as const;

/** Turns SQL into text and values in one dialect. It has no connection: the drivers are used directly, read-only. */
export function compilerOf(name: keyof typeof dialects): Kysely<never> {
  const [Adapter, Introspector, Compiler] = dialects[name];
  return new Kysely({
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new Introspector(db),
      createQueryCompiler: () => new Compiler(),
    },
  });
}

/** A table by its name in the sync file: dots separate schema and table, everything is quoted. */
export function tableName(name: string): Sql {
  return sql.id(...name.split("."));
}

export function list(parts: readonly Sql[]): Sql {
  return sql.join(parts, sql`, `);
}

/**
 * Texts below this are no stamps: what stands there (an empty text, digits, a date with the day first) is looked at in
 * every poll, because no window would ever show it again. With its dash no database takes it for a number.
 */
export const earliestText = sql.lit("1900-");

/** True for a stamp column that is NULL or, where it holds text, says nothing. */
export function unsetText(name: Sql, text: StampText | undefined): Sql {
  if (text === undefined) return sql`${name} is null`;
  return text === "date" ? sql`(${name} is null or ${name} < ${earliestText})` : sql`(${name} is null or ${name} = '')`;
}

/** All of the conditions; none of them is always true. */
export function all(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `);
}
