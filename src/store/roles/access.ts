import type { ActStore } from "../contract/people/acts.ts";
import type { ActRow } from "../rows/act-row.ts";

/** Values of a statement, by name. */
export type SqlValues = Readonly<Record<string, string | number | null>>;

/** A statement valid in SQLite and PostgreSQL; each `@name` in it is one of the values. */
export interface Statement {
  readonly sql: string;
  readonly values?: SqlValues;
}

/** How the roles that all stores share access the tables. */
export interface Access {
  /** Reads what is committed at that moment. */
  read<Row>(sql: string, values?: SqlValues): Promise<Row[]>;
  /**
   * Reads very many rows, in parts where one read would block other work. The statement reads those of `of`, a table with a condition, whose
   * `column` lies beyond `@from` and not beyond `@to`; the first part begins after `after`. Resolves to the rows of all parts.
   */
  readOver<Row>(
    rows: { readonly of: string; readonly column: string; readonly after: number },
    sql: string,
    values: SqlValues,
  ): Promise<Row[]>;
  /**
   * Runs a step of its own, all or nothing. Resolves to the rows of all its statements, in order, when it is committed; a `durable` one
   * when it is on disk.
   */
  step<Row = unknown>(statements: readonly Statement[], options?: { readonly durable: true }): Promise<Row[]>;
  /**
   * Repeats this step until it returns no row, so that other steps can run in between. Each time it handles up to `@limit` rows, which the
   * store chooses, and returns them. Resolves to their total number.
   */
  untilNone(statement: Statement): Promise<number>;
  /** {@link ActStore.recent} in parts, for a store where one read would block other work. */
  acts?(query: Parameters<ActStore["recent"]>[0]): Promise<ActRow[]>;
  /** Returns a copy without secrets. */
  clean<Value>(value: Value): Value;
}

/** Inserts a row, or updates these columns of the row with the same `key`. */
export function upsert(table: string, key: string, values: SqlValues): Statement {
  const names = Object.keys(values);
  const others = names.filter((name) => name !== key).map((name) => `${name} = excluded.${name}`);
  const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map((name) => `@${name}`).join(", ")})
    ON CONFLICT (${key}) DO UPDATE SET ${others.join(", ")}`;
  return { sql, values };
}

/** The differences between the databases: their indexes find and sort keys in different ways. */
export interface Dialect {
  /** Condition: the row belongs to the record `@stream`, `@key`. */
  readonly isRecord: string;
  /** Condition: the row's key comes after `@after`. */
  readonly isAfter: string;
  readonly keyOrder: string;
  /** The audit trail, read through the index of people's actions. */
  readonly actsOfPeople: string;
  /** Condition: the column, a key or a name, is this expression. */
  readonly isKey: (column: string, key: string) => string;
  /** Condition: the row belongs to this stream and key, which are expressions. */
  readonly isOf: (row: string, stream: string, key: string) => string;
  /** The texts of a list, as rows with `value` and, from 0, `at`. */
  readonly each: (list: string) => string;
  /**
   * The list of calls that a database answers with one statement, where a write names it: the rows of an insert, or what follows the SET of
   * an update or the table of a delete. Empty where a statement runs once for each call.
   */
  readonly rows: (values: string) => string;
  readonly from: string;
  readonly using: string;
  /** Remove the cause of every notice, and of every event of one, that names the record `@stream`, `@key`. */
  readonly forgetNotices: string;
  readonly forgetNoticeEvents: string;
}
