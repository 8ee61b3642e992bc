import { ParkError, type ErrorCode } from "#model";
import type { SourceIdentity } from "../../identity.ts";
import { sql, type SqlDialect, type Sql, type StampText } from "../sql-text.ts";

/**
 * What a column holds, as far as it matters for reading it without loss.
 * `instant` has a zone, `datetime` is a wall-clock reading; `any` is a column of SQLite, which may hold any value, and
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
  /** The type's name in the database, for messages and casts. */
  readonly type: string;
  /** True for CHAR(n): the blanks that pad its values are not part of them. */
  readonly isPadded?: boolean;
  /** True for a floating-point number of four bytes, which a driver gives with the digits of one of eight. */
  readonly isSingle?: boolean;
}

/** A value as the driver returns it, before anything could have rounded it. */
export type SqlCell = null | string | number | bigint | boolean | Uint8Array;

export interface QueryResult {
  readonly columns: readonly Column[];
  /** Cells in the order of `columns`. */
  readonly rows: readonly (readonly SqlCell[])[];
  /** True if the answer has more rows than the budget allowed. */
  readonly isCut?: boolean;
}

/** One connection to a database that can only read. */
export interface SqlSession {
  /**
   * Reads the answer's rows until they weigh `maxBytes`. The rest is never held in memory.
   * @throws the driver's error; {@link Engine.fault} knows what it means.
   */
  query(text: string, values: readonly unknown[], signal: AbortSignal, maxBytes?: number): Promise<QueryResult>;
  /** True once the session can run no further query: after an answer that was cut off, or when its file was replaced. */
  readonly isSpent?: boolean;
  end(): Promise<void>;
  /** Ends the session at once, with whatever the server runs for it. */
  destroy(): void;
}

/** A connection that may also add rows to an inbox. A wait for a lock ends after some seconds. */
export interface WritingSession extends SqlSession {
  /** Runs a statement that has neither values nor an answer, such as COMMIT. */
  command(text: string, signal: AbortSignal): Promise<void>;
}

/** The server's clock, and its activity at that moment. */
export interface ServerMoment {
  /** Epoch milliseconds. */
  readonly atMs: number;
  /** Names of the transactions that were open; undefined if the server does not show them. */
  readonly open: readonly string[] | undefined;
  /** When the oldest of them began, if this is known. */
  readonly oldestMs: number | undefined;
}

/** A table or view. */
export interface SeenTable {
  readonly schema: string;
  readonly name: string;
  /** False if it is found only as `schema.name`. */
  readonly isPlain: boolean;
}

export type RunQuery = (query: Sql) => Promise<QueryResult>;

/** Returns the one value of an answer. */
export async function scalar(ask: RunQuery, query: Sql): Promise<SqlCell> {
  const { rows } = await ask(query);
  return rows[0]?.[0] ?? null;
}

/** Whether a table has such a row. SQL Server takes {@link Engine.limit} only behind ORDER BY, so this asks by EXISTS. */
export async function anyRow(ask: RunQuery, from: Sql, condition: Sql): Promise<boolean> {
  const found = await scalar(
    ask,
    sql`select case when exists (select 1 from ${from} where ${condition}) then 1 else 0 end`,
  );
  return Number(found) === 1;
}

/** Like {@link scalar}. Undefined if the user may not ask this, or the server does not know it. */
export async function scalarIfKnown(ask: RunQuery, query: Sql): Promise<string | undefined> {
  try {
    const value = await scalar(ask, query);
    return value === null ? undefined : String(value);
  } catch (thrown) {
    if (thrown instanceof ParkError && thrown.code !== "E_SOURCE_LOGIN") return undefined;
    throw thrown;
  }
}

/** What a driver's error means for a person, as an error code. */
export interface DriverFault {
  readonly code: ErrorCode;
  /** The table or column that the database named, if it named one. */
  readonly subject?: string | undefined;
}

export interface ServerCounters {
  /** Selects one value: the highest row version below all that are not committed yet. */
  readonly rowversionCeiling: Sql;
  /** Selects two values: the current version, and the lowest one that is still known. NULL if the table is not tracked. */
  trackedVersions(table: string): Sql;
  /** Selects the tracked keys of `table`, with the version of their last change as `trackedVersion`. */
  trackedKeys(table: string, key: readonly string[]): string;
}

/** In what databases differ when rows are added to an inbox. */
export interface InboxEngine {
  connect(): Promise<WritingSession>;
  readonly begin: string;
  /** How many values a statement may bind. */
  readonly mostValues: number;
  /** A cell of a new row. Absent: the bound text takes the column's type. */
  readonly value?: (text: string | null, column: Column) => Sql;
  /** Whether a unique key refused a row. */
  isDuplicate(error: unknown): boolean;
  /** Whether a value or a constraint refused a row. */
  isRefused(error: unknown): boolean;
  /**
   * Selects name, type, longest text (NULL or negative: no limit), digits, digits behind the point and whether it must be given, of each column
   * of `table`.
   */
  columns(table: string): Sql;
  /** How the length of a text of this type is counted. */
  countedIn(type: string): "characters" | "units" | "bytes";
  /** Selects whether the user may update and delete. */
  rights?(table: string): Sql;
  /** Where no query tells: commands that change nothing, and fail if the user may not update or delete. */
  rightCommands?(table: string, column: string): Readonly<Record<"update" | "delete", Sql>>;
  /** Selects whether a rollback takes back what was added to `table`. Absent: it always does. */
  isTransactional?(table: string): Sql;
}

/** Everything in which databases differ. What is the same in all of them is not here. */
export interface Engine {
  readonly name: SqlDialect;
  /** Whether `(a, b) >= (x, y)` can be written and uses an index. */
  readonly rowValues: boolean;
  /** Whether numbers drawn inside a transaction are committed in order, or the open transactions are known. */
  readonly exactSequence: boolean;
  connect(): Promise<SqlSession>;
  /** A connection for an inbox. All others cannot write. */
  readonly inbox: InboxEngine;
  /** The clause after ORDER BY that limits the answer to `count` rows. */
  limit(count: number): Sql;
  /** A column in a select list, written so that the driver's value is exact. */
  exact(column: Column): Sql;
  /** `cell` as the right side of a comparison with `column`, written so that an index on the column is used. */
  bound(cell: SqlCell, column: Column): Sql;
  /**
   * A column in ORDER BY and as the left side of comparisons with bounds. Defined if it must be written differently for both to
   * agree on the order.
   */
  ordered?(column: Column): Sql | undefined;
  /** The condition that `column` has the value of `text`, a part of a record's key. */
  equals(column: Column, text: string): Sql;
  /** The condition that a stamp is not set: it is NULL, or what the ERP writes instead. */
  unset(column: Column, text: StampText | undefined): Sql;
  /** SQL Server only: row versions and change tracking, by which the server shows what is committed. */
  readonly counters?: ServerCounters;
  moment(ask: RunQuery): Promise<ServerMoment>;
  /**
   * The server's clock in epoch milliseconds, to be read together with other values by one statement. If absent, a poll reads them
   * one by one.
   */
  readonly clock?: Sql;
  version(ask: RunQuery): Promise<string>;
  /** What the database says about itself, and the schema in it; the address only where that is all that identifies it. */
  identity(ask: RunQuery): Promise<Omit<SourceIdentity, "address"> & { readonly address?: string }>;
  /** Selects schema and name of each visible table and view, and whether the name alone finds it. */
  readonly tables: Sql;
  /** Selects the columns of the primary key of `table`, in order; no row if it has none. */
  primaryKey(table: string): Sql;
  /** Whether an index of `table` begins with `column`; undefined if this cannot be known, as for a view. */
  indexed(ask: RunQuery, table: string, column: string): Promise<boolean | undefined>;
  fault(error: unknown): DriverFault | undefined;
}
