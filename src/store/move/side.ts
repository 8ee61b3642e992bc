import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import type { MoveMark } from "./mark.ts";

/** Rows that are read and written at once: enough for few round trips to a server, few enough for the memory whatever they hold. */
export const ROWS_AT_ONCE = 2_000;

/** Whether a store knows of a record or a stream, or did. */
export const IS_USED =
  "SELECT EXISTS (SELECT 1 FROM records) OR EXISTS (SELECT 1 FROM streams) OR EXISTS (SELECT 1 FROM audit) AS used";

/** A table as a move copies it: the same columns in both stores. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** The values of a row, in the order of the columns. */
export type MovedRow = readonly (string | number | null)[];

/** The last number that each table assigned, by the table's name. A table that is missing here has it in its rows. */
export type LastNumbers = ReadonlyMap<string, number>;

export interface MoveDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One of the two stores of a move, locked as by a daemon: none can run on it meanwhile. */
export interface MoveSide extends AsyncDisposable {
  /** Where it is, without a password. */
  readonly place: string;
  mark(): Promise<MoveMark | undefined>;
  /** Resolves when the mark, and everything written before it, survives a power cut. */
  saveMark(mark: MoveMark): Promise<void>;
  /** From now until the next mark nothing else changes it. */
  freeze(): Promise<void>;
  /** Whether it never knew of a record or a stream. */
  isUnused(): Promise<boolean>;
  /** The rows in the order of the key, {@link ROWS_AT_ONCE}. */
  rows(table: MovedTable): AsyncIterable<readonly MovedRow[]>;
  /** Adds these rows, all or none. */
  write(table: MovedTable, rows: readonly MovedRow[]): Promise<void>;
  clear(table: MovedTable): Promise<void>;
  lastNumbers(): Promise<LastNumbers>;
  /** Continues to number from these, and prepares for queries. */
  finish(numbers: LastNumbers): Promise<void>;
}
