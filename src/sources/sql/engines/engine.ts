import type { ErrorCode } from "#model";
import type { Dialect, Sql, StampText } from "../sql-text.ts";

/**
 * What a column holds, as far as it matters for reading it unharmed.
 * `instant` knows its zone, `datetime` is a wall-clock reading; `any` is a column of SQLite, which holds what it likes, and
 * `any-datetime` one that was declared for date-times.
 */
export type ColumnKind =
  | "integer"
  | "decimal"
  | "float"
  | "text"
  | "boolean"
  | "instant"
  | "datetime"
  | "date"
  | "time"
  | "json"
  | "binary"
  | "rowversion"
  | "any"
  | "any-datetime";

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The database's own word for the type, for messages and casts. */
  readonly type: string;
  /** True for CHAR(n): the blanks that fill its values up are no part of them. */
  readonly isPadded?: boolean;
}

/** A value as a driver gives it, before anything could have rounded it. */
export type Cell = null | string | number | bigint | boolean | Uint8Array;

export interface QueryResult {
  readonly columns: readonly Column[];
  /** Cells in the order of `columns`. */
  readonly rows: readonly (readonly Cell[])[];
  /** True where the answer has more rows than the budget let in. */
  readonly isCut?: boolean;
}

/** One connection to a database that can only read. */
export interface Session {
  /**
   * Reads the answer's rows until they weigh `maxBytes`; the rest is never held.
   * @throws what the driver throws; {@link Engine.fault} knows what it means.
   */
  query(text: string, values: readonly unknown[], signal: AbortSignal, maxBytes?: number): Promise<QueryResult>;
  /** True once the session can take no further query, as after an answer that was cut off, or when its file was replaced. */
  readonly isSpent?: boolean;
  end(): Promise<void>;
  /** Ends it at once, and with it what the server runs for it. */
  destroy(): void;
}

/** The server's clock, and its activity at that moment. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Names of the transactions that were open; undefined where the server does not tell. */
  readonly open: readonly string[] | undefined;
  /** When the oldest of them began, where this is known. */
  readonly oldestMs: number | undefined;
}

/** A table or view. */
export interface SeenTable {
  readonly schema: string;
  readonly name: string;
  /** False where it is found only under `schema.name`. */
  readonly isPlain: boolean;
}

export type Ask = (query: Sql) => Promise<QueryResult>;

/** The one value of an answer. */
export async function scalar(ask: Ask, query: Sql): Promise<Cell> {
  const { rows } = await ask(query);
  return rows[0]?.[0] ?? null;
}

/** What an error of a driver means for a person, by its code; undefined: no idea. */
export interface Fault {
  readonly code: ErrorCode;
  /** The table or column that the database named, if it named one. */
  readonly subject?: string | undefined;
}

export interface ServerCounters {
  /** One value: the highest row version below every one that is not yet committed. */
  readonly rowversionCeiling: Sql;
  /** Two values: the current version and the lowest one that is still known, NULL where the table is not tracked. */
  trackedVersions(table: string): Sql;
  /** The tracked keys of `table` with the version of their last change, as `trackedVersion`. */
  trackedKeys(table: string, key: readonly string[]): string;
}

/** Everything in which databases differ. What is the same in all of them is not here. */
export interface Engine {
  readonly name: Dialect;
  /** Can `(a, b) >= (x, y)` be written, and does it use an index? */
  readonly rowValues: boolean;
  /** True where numbers drawn inside a transaction are committed in order, or the open ones are known. */
  readonly exactSequence: boolean;
  connect(): Promise<Session>;
  /** What follows ORDER BY to get `count` rows. */
  limit(count: number): Sql;
  /** A column in a select list, such that the driver's value is exact. */
  exact(column: Column): Sql;
  /** `cell` as the right side of a comparison with `column`, such that an index on the column is used. */
  bound(cell: Cell, column: Column): Sql;
  /**
   * A column in ORDER BY and as the left side of comparisons with bounds, where it must be written in another way for both to agree
   * on the order.
   */
  ordered?(column: Column): Sql | undefined;
  /** Is `column` the value that `text`, a part of a record's key, stands for? */
  equals(column: Column, text: string): Sql;
  /** True for a stamp that says nothing: NULL, or what the ERP writes instead of it. */
  unset(column: Column, text: StampText | undefined): Sql;
  /** SQL Server only: row versions and change tracking, which know themselves what is committed. */
  readonly counters?: ServerCounters;
  moment(ask: Ask): Promise<Moment>;
  /** The server's clock in epoch milliseconds, for one statement with other questions. Absent: a poll asks one by one. */
  readonly clock?: Sql;
  version(ask: Ask): Promise<string>;
  /** Schema and name of each table and view that can be seen, and whether the name alone finds it. */
  readonly tables: Sql;
  /** The columns of the primary key of `table`, in order; none where it has none. */
  primaryKey(table: string): Sql;
  /** Does an index of `table` begin with `column`? Undefined where this cannot be told, as of a view. */
  indexed(ask: Ask, table: string, column: string): Promise<boolean | undefined>;
  fault(error: unknown): Fault | undefined;
}
