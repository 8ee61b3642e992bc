import type { Change, ChangeBatch, Cursor, ErrorFacts, Finding, Json, Key, Row, UnreadableRow } from "#model";

/**
 * What an adapter can promise about one stream. The poller, the sweeper and `check` adapt to it; nothing is guessed.
 */
export interface Capabilities {
  /** How deletions in the ERP can be found: by a deletion feed, by a sweep over all keys, or only by a flag in the row. */
  readonly deletions: "feed" | "sweep" | "flag";
}

/** Some rows without a key: where they are and what is wrong with them. */
export type KeylessRows = Omit<UnreadableRow, "key">;

/** One stream of one source: everything that svcsync asks an ERP for. Only reads: what svcsync writes into an ERP is in inbox.ts. */
export interface SourceStream {
  readonly capabilities: Capabilities;

  /**
   * Yields every change after `cursor`, oldest first, in batches of bounded size.
   * Asking twice with the same cursor yields the same changes or newer versions of them; nothing is ever skipped.
   * `null` means from the beginning. The iteration ends when the window `[cursor - overlap, safe upper bound]` is read;
   * the last batch carries the cursor of the next poll even when it holds no change.
   * Memory stays flat, however many rows the table has and however large they are. An odd row does not end the iteration: with a
   * key it is one of the batch's `unreadable` rows, without a key {@link keyless} reports it. Once `signal` is aborted it throws
   * the abort reason.
   * @throws {RetryError} E_SOURCE_UNREACHABLE when the ERP does not answer.
   * @throws {ParkError} E_SOURCE_… when this stream needs a person: a missing table, an ignored filter, a wrong stamp.
   */
  changes(cursor: Cursor | null, signal: AbortSignal): AsyncIterable<ChangeBatch>;

  /** Returns the record as it is now, or undefined when the ERP does not have it. */
  readOne(key: Key, signal: AbortSignal): Promise<Row | undefined>;

  /**
   * Returns those of the records `keys` that the ERP has, as they are now. Present if reading them together costs less than one by
   * one with {@link readOne}.
   */
  readonly readMany?: (keys: readonly Key[], signal: AbortSignal) => Promise<ReadonlyMap<Key, Row>>;

  /**
   * Yields every key that the ERP holds now, in batches. An iteration that ends without an error was complete, which a sweep relies
   * on. Anything less throws.
   */
  keys(signal: AbortSignal): AsyncIterable<readonly Key[]>;

  /**
   * Returns rows that have no key, as far as the stream knows; empty as soon as all have one. `changes` and `keys` leave them out.
   * Called at the end of each poll: while there are any, a sweep deletes nothing, because one of them may be a known record. Absent
   * if the ERP cannot have such rows.
   */
  keyless?(signal: AbortSignal): Promise<readonly KeylessRows[]>;

  /**
   * Yields the deletion feed after `cursor`: all deletions if `capabilities.deletions` is `feed`, else those reported before a
   * sweep finds them.
   */
  deletions?(cursor: Cursor | null, signal: AbortSignal): AsyncIterable<{ changes: readonly Change[]; cursor: Cursor }>;

  /**
   * Why the ERP did not show the deletion feed when it was last read; undefined if it did. Present if `deletions` then yields nothing
   * instead of failing, because a sweep finds the same deletions, only later.
   */
  refusedDeletions?(): ErrorFacts | undefined;

  /**
   * Returns up to `count` of the changes that `changes(cursor, …)` would yield, and leaves no trace. Present if `changes` leaves
   * one in the ERP, such as a claimed file. For all other sources a few changes can be taken from `changes` itself.
   */
  peek?(cursor: Cursor | null, count: number, signal: AbortSignal): Promise<readonly Change[]>;

  /** Checks that the table and its columns exist and that the stamp holds stamps. Reads little and changes nothing. */
  check(signal: AbortSignal): Promise<Finding[]>;
}

/** What a column is good for: `version` grows with every change of its row, `stamp` is an instant, a date-time or a date. */
export type OutlineKind = "text" | "number" | "stamp" | "version" | "binary" | "other";

/** A table as a person sees it before mapping it. */
export interface TableOutline {
  readonly columns: readonly { readonly name: string; readonly kind: OutlineKind }[];
  /** The columns of the primary key, in order; empty if it has none, such as a view. */
  readonly key: readonly string[];
  /** The words of the stream's `read` besides the key, where the table's name does not say how it is read, as with files. */
  readonly read?: Readonly<Record<string, Json>>;
}

/** What the ERP has to read, for proposals to a person. */
export interface Catalog {
  /** What the tables are, if they are not tables of a database. */
  readonly of?: "files";
  /** Returns the tables and views that the user may read, in alphabetical order, by the names that a stream's `read` takes. */
  tables(signal: AbortSignal): Promise<readonly string[]>;
  /** @throws {ParkError} E_SOURCE_TABLE when the ERP has no such table. */
  table(name: string, signal: AbortSignal): Promise<TableOutline>;
}

/**
 * Calls `told` for each notification of the ERP that something changed, with its text: the name of a stream, or anything else for all
 * streams. Also calls it after each connection, because notifications are lost while there is none. Reconnects automatically; resolves
 * when the signal is aborted.
 */
export type Listener = (told: (stream: string | undefined) => void, signal: AbortSignal) => Promise<void>;

/** An opened connection to one ERP. Disposing it ends its connections; its streams are then unusable. */
export interface Source extends AsyncDisposable {
  /** Checks whether the ERP can be reached and the credentials are valid. Reports its version and its clock. */
  check(signal: AbortSignal): Promise<Finding[]>;

  /** Present if listing tables and columns takes no more than a few small queries. */
  readonly catalog?: Catalog;

  /** Present if the ERP reports changes and the sync file says where. */
  readonly listen?: Listener;
}
