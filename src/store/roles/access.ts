import type { ActStore } from "../contract/people/acts.ts";
import type { ActRow } from "../rows/act-row.ts";

/** What a statement is given, by name. */
export type SqlValues = Readonly<Record<string, string | number | null>>;

/** A statement that SQLite and PostgreSQL read alike; each `@name` in it is one of the values. */
export interface Statement {
  readonly sql: string;
  readonly values?: SqlValues;
}

/** How the parts that all stores share reach the tables. */
export interface Access {
  /** A read of what is committed then. */
  read<Row>(sql: string, values?: SqlValues): Promise<Row[]>;
  /**
   * A step of its own, all or nothing; resolves when it is committed, and `durable` when the disk has it, to the rows of its
   * statements, one after the other.
   */
  step<Row = unknown>(statements: readonly Statement[], options?: { readonly durable: true }): Promise<Row[]>;
  /** Takes this step again and again until it returns no row. Resolves to how many rows it returned in all. */
  untilNone(statement: Statement): Promise<number>;
  /** What people did, as {@link ActStore.recent} tells it, where one read of it all would hold others up. */
  acts?(query: Parameters<ActStore["recent"]>[0]): Promise<ActRow[]>;
  /** A copy without secrets. */
  clean<Value>(value: Value): Value;
}

/** Removes rows, at most so many of them, and returns their numbers: {@link Access.untilNone} then leaves others their turn. */
export function removal(
  table: "audit" | "deletions" | "exchanges",
  { where, values, limit = 2_000 }: { readonly where: string; readonly values: SqlValues; readonly limit?: number },
): Statement {
  const id = table === "deletions" ? "record" : "id";
  const sql = `DELETE FROM ${table} WHERE ${id} IN (SELECT ${id} FROM ${table} WHERE ${where} LIMIT ${limit}) RETURNING ${id}`;
  return { sql, values };
}

/** A statement that writes these columns of a row, over what the row of the same `key` has. */
export function upsert(table: string, key: string, values: SqlValues): Statement {
  const names = Object.keys(values);
  const others = names.filter((name) => name !== key).map((name) => `${name} = excluded.${name}`);
  const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map((name) => `@${name}`).join(", ")})
    ON CONFLICT (${key}) DO UPDATE SET ${others.join(", ")}`;
  return { sql, values };
}

/** Where the databases differ: keys are found and sorted by what their indexes are made of. */
export interface Dialect {
  /** That a row is of the record `@stream`, `@key`. */
  readonly isRecord: string;
  /** That the key of a row comes after `@after`. */
  readonly isAfter: string;
  readonly keyOrder: string;
  /** The audit trail, read by the index of what people did. */
  readonly actsOfPeople: string;
}
