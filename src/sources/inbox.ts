import type { JsonObject, ReturnValue } from "#model";
import type { Column } from "./sql/engines/engine.ts";
import type { SqlDialect } from "./sql/sql-text.ts";

/** The tables of an inbox, by their names in the sync file. */
export interface InboxTables {
  /** Rows are added to these tables only. */
  readonly adds: readonly string[];
  /** These are only read. */
  readonly reads: readonly string[];
}

export interface InboxColumn extends Column {
  /** The type as the table declares it, for messages. */
  readonly declared: string;
  /** How long a text may be; undefined where the database does not limit it. */
  readonly length: { readonly most: number; readonly in: "characters" | "units" | "bytes" } | undefined;
  /** Of an exact decimal: all digits, and those behind the point. */
  readonly digits: { readonly all: number; readonly behind: number } | undefined;
  /** NOT NULL, and nothing fills it in. */
  readonly isRequired: boolean;
}

export interface InboxTable {
  readonly name: string;
  readonly columns: readonly InboxColumn[];
  /** False for a table whose rows stay when a transaction is rolled back (MyISAM, Aria). */
  readonly isTransactional: boolean;
}

/**
 * Some new rows of one table. Values are written exactly, or refused: text, numbers as numbers or as decimal text, and date-times as ISO 8601, which
 * take the form of their column.
 */
export interface InboxRows {
  readonly table: InboxTable;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ReturnValue[])[];
}

/**
 * The tables through which an ERP takes what svcsync hands over: the one place in a source that svcsync writes to. It adds rows to the tables
 * that the sync file names for that, reads them and the table of the answers, and sends no other statement: it changes and deletes nothing,
 * and no other table is written, whatever the user may do.
 */
export interface TableInbox extends AsyncDisposable {
  readonly dialect: SqlDialect;

  /**
   * Adds all rows in one transaction, in this order; resolves once it is committed. `present`: a row with one of the unique keys is there, and
   * nothing was added. Waits some seconds at most for a lock, and attempts nothing twice. Once `signal` is aborted it throws the abort reason.
   * @throws {RetryError} E_SOURCE_BUSY, E_SOURCE_TIMEOUT, E_SOURCE_UNREACHABLE; `outcomeUnknown` if the server may have committed.
   * @throws {ParkError} E_SOURCE_TABLE, E_SOURCE_COLUMN, E_SOURCE_FORBIDDEN, E_SOURCE_LOGIN and others; E_RETURN_INBOX with the
   * detail `column` when a value does not fit its column.
   */
  add(rows: readonly InboxRows[], signal: AbortSignal): Promise<"added" | "present">;

  /** Like {@link add}, but rolled back: nothing stays. Only for transactional tables. */
  tryAdd(rows: readonly InboxRows[], signal: AbortSignal): Promise<"added" | "present">;

  /**
   * Returns these columns of the rows that have `where`'s texts: the text of a column, or one of several. Values are as a stream of this source
   * reads them. Databases compare texts by their own rules, so a row may have others in upper and lower case, for example.
   */
  rows(
    table: InboxTable,
    columns: readonly string[],
    where: Readonly<Record<string, string | readonly string[]>>,
    signal: AbortSignal,
  ): Promise<readonly JsonObject[]>;

  /** @throws {ParkError} E_SOURCE_TABLE, with the name that was probably meant. */
  describe(table: string, signal: AbortSignal): Promise<InboxTable>;

  /** What the user may do with a table besides adding rows; undefined where the database has no rights (SQLite). */
  rights(table: InboxTable, signal: AbortSignal): Promise<readonly ("update" | "delete")[] | undefined>;

  /** How far the database's clock is ahead of this machine's, in milliseconds. */
  clockOffset(signal: AbortSignal): Promise<number>;
}

/**
 * The folder through which an ERP takes files that svcsync hands over: a folder below that of the source, and the one place there that svcsync
 * writes files of its own to. It replaces and deletes none, and nothing outside this folder is read or written.
 */
export interface FolderInbox extends AsyncDisposable {
  /** The folder as messages name it. */
  readonly name: string;
  /** The names of files in a subfolder (`""`: in the folder itself); none if it does not exist. */
  list(below: string, signal: AbortSignal): Promise<readonly string[]>;
  /** @throws {RetryError} E_SOURCE_UNREACHABLE, E_SOURCE_FAILED */
  read(path: string, signal: AbortSignal): Promise<string>;
  /**
   * Writes a file under a temporary name and renames it: under its name it is there as a whole or not at all. Durable when resolved, as far as
   * the file system is. The caller makes sure that the name is free.
   * @throws {RetryError} E_SOURCE_UNREACHABLE, E_SOURCE_FAILED
   */
  put(path: string, text: string, signal: AbortSignal): Promise<void>;
  has(path: string, signal: AbortSignal): Promise<boolean>;
  /** Renames a file that {@link put} wrote, in one step. Fails if it is not there. */
  move(from: string, to: string, signal: AbortSignal): Promise<void>;
}
