import type { Change, ChangeBatch, Cursor, Finding, Key, Row, UnreadableRow } from "#model";

/**
 * What an adapter can promise about one stream. The poller, the sweeper and `check` adapt to it; nothing is guessed.
 */
export interface Capabilities {
  /** How every deletion in the ERP can be seen: a deletion feed, a sweep over all keys, or only a flag in the row. */
  readonly deletions: "feed" | "sweep" | "flag";
}

/** Some rows without a key: where they are and what is wrong with them. */
export type KeylessRows = Omit<UnreadableRow, "key">;

/** One stream of one source: all that svcsync ever asks an ERP for. Reads only. */
export interface SourceStream {
  readonly capabilities: Capabilities;

  /**
   * Yields every change after `cursor`, oldest first, in batches of bounded size.
   * Asking twice with the same cursor yields the same changes or newer versions of them; nothing is ever skipped.
   * `null` means from the beginning. The iteration ends when the window `[cursor - overlap, safe upper bound]` is read;
   * the last batch carries the cursor of the next poll even when it holds no change.
   * Memory stays flat however many rows the table has, and however large they are. One odd row does not end the iteration: with
   * a key it is one of the batch's `unreadable` rows, without one it is told by {@link keyless}. Once `signal` is aborted it throws the abort reason.
   * @throws {RetryError} E_SOURCE_UNREACHABLE when the ERP does not answer.
   * @throws {ParkError} E_SOURCE_… when this stream needs a person: a missing table, an ignored filter, a wrong stamp.
   */
  changes(cursor: Cursor | null, signal: AbortSignal): AsyncIterable<ChangeBatch>;

  /** The record as it is now, or undefined when the ERP does not have it. */
  readOne(key: Key, signal: AbortSignal): Promise<Row | undefined>;

  /**
   * The records among `keys` that the ERP has, as they are now. Present where reading them together costs less than one by
   * one with {@link readOne}.
   */
  readonly readMany?: (keys: readonly Key[], signal: AbortSignal) => Promise<ReadonlyMap<Key, Row>>;

  /**
   * Every key the ERP holds now, in batches. An iteration that ends without a throw was complete:
   * a sweep relies on it. Anything less throws.
   */
  keys(signal: AbortSignal): AsyncIterable<readonly Key[]>;

  /**
   * Rows that have no key, as far as the stream knows by now; empty as soon as all have one. They are left out of `changes` and
   * `keys`. Asked at the end of each poll: while there are any, a sweep deletes nothing, as one of them may be a known record.
   * Absent where the ERP cannot have such rows.
   */
  keyless?(signal: AbortSignal): Promise<readonly KeylessRows[]>;

  /** The deletion feed after `cursor`: all deletions where `capabilities.deletions` is `feed`, else those that are told before a sweep. */
  deletions?(cursor: Cursor | null, signal: AbortSignal): AsyncIterable<{ changes: readonly Change[]; cursor: Cursor }>;

  /**
   * Up to `count` of the changes that `changes(cursor, …)` would yield, read without a trace. Present where `changes` leaves
   * one behind in the ERP, as a file that is claimed; everywhere else a few changes may be taken from `changes` itself.
   */
  peek?(cursor: Cursor | null, count: number, signal: AbortSignal): Promise<readonly Change[]>;

  /** Reads little and changes nothing: is the table there, are the columns, does the stamp hold stamps? */
  check(signal: AbortSignal): Promise<Finding[]>;
}

/** What a column of the ERP is good for: `version` grows with every change of its row, `stamp` is an instant, a date-time or a date. */
export type OutlineKind = "text" | "number" | "stamp" | "version" | "binary" | "other";

/** A table as a person sees it who is about to map it. */
export interface TableOutline {
  readonly columns: readonly { readonly name: string; readonly kind: OutlineKind }[];
  /** The columns of its primary key, in order; empty where it has none, as a view. */
  readonly key: readonly string[];
}

/** What there is to read, for proposals to a person. */
export interface Catalog {
  /** Tables and views that the user may read, by the names that a stream's `read` takes, in alphabetical order. */
  tables(signal: AbortSignal): Promise<readonly string[]>;
  /** @throws {ParkError} E_SOURCE_TABLE when the ERP has no such table. */
  table(name: string, signal: AbortSignal): Promise<TableOutline>;
}

/**
 * Calls `told` for each word of the ERP that something changed: the stream's name, or whatever else the ERP said for any stream.
 * Also after each connection, since words are lost while there is none. Reconnects automatically; resolves when the signal is aborted.
 */
export type Listener = (told: (stream: string | undefined) => void, signal: AbortSignal) => Promise<void>;

/** An opened connection to one ERP. Disposing it ends its connections; its streams are then unusable. */
export interface Source extends AsyncDisposable {
  /** Can the ERP be reached, do the credentials hold, what is its version and its clock? */
  check(signal: AbortSignal): Promise<Finding[]>;

  /** Present where listing tables and columns costs no more than a few small queries. */
  readonly catalog?: Catalog;

  /** Present where the ERP reports changes and the sync file says where. */
  readonly listen?: Listener;
}
