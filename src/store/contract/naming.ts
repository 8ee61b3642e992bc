import type { Actor, ResourceName, StreamName } from "#model";

/** What the store holds of one stream. */
export interface StoredStream {
  readonly records: number;
  /** Bound records by resource. */
  readonly bound: Readonly<Record<ResourceName, number>>;
}

/** The names under which streams are stored. */
export interface NamingStore {
  /** The streams of which the store has records, in alphabetical order. */
  storedStreams(): Promise<StreamName[]>;

  /** Counts the records and bindings of a stream: up to seconds per million records. */
  storedStream(stream: StreamName): Promise<StoredStream>;

  /**
   * Moves everything that the store holds of the stream `from` to the name `to`: records with bindings and history, their part in other
   * records' references, the position of polls and sweeps, pauses, watches and notes. All or nothing, and durable when resolved. What
   * was stored for `to` without a record is replaced. Only for the process that holds the store as a daemon.
   * @throws {ParkError} E_RENAME_REFUSED when `to` has records, or the store holds nothing of `from`.
   */
  renameStream(from: StreamName, to: StreamName, by: Actor): Promise<void>;
}
