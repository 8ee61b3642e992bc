import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import type { MoveMark } from "./mark.ts";

/** Rows per read or write: enough for few round trips to a server, few enough for memory whatever the rows hold. */
export const ROWS_AT_ONCE = 2_000;

/** Whether a store holds a record or a stream, or ever did. */
export const IS_USED =
  "SELECT EXISTS (SELECT 1 FROM records) OR EXISTS (SELECT 1 FROM streams) OR EXISTS (SELECT 1 FROM audit) OR EXISTS (SELECT 1 FROM returns) AS used";

/** A table to move; both stores have the same columns. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** The values of a row, in the order of the columns. */
export type MovedRow = readonly (string | number | null)[];

/** The last number that each table assigned, by table name. For a table that is missing here, the rows show it. */
export type LastNumbers = ReadonlyMap<string, number>;

export interface MoveDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One of the two stores of a move. It is locked as a daemon locks it, so that no daemon can run meanwhile. */
export interface MoveSide extends AsyncDisposable {
  /** The location, without a password. */
  readonly place: string;
  mark(): Promise<MoveMark | undefined>;
  /** Resolves when the mark, and everything written before it, survives a power cut. */
  saveMark(mark: MoveMark): Promise<void>;
  /** Prevents other changes until the next mark. */
  freeze(): Promise<void>;
  /** Whether it never held a record or a stream. */
  isUnused(): Promise<boolean>;
  /** The rows in key order, {@link ROWS_AT_ONCE} at a time. */
  rows(table: MovedTable): AsyncIterable<readonly MovedRow[]>;
  /** Adds these rows, all or nothing. */
  write(table: MovedTable, rows: readonly MovedRow[]): Promise<void>;
  clear(table: MovedTable): Promise<void>;
  lastNumbers(): Promise<LastNumbers>;
  /** Sets the next numbers of the tables and prepares the store for queries. */
  finish(numbers: LastNumbers): Promise<void>;
}
