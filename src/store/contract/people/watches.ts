import type { Actor, RecordId } from "#model";

/** A person wants to see the requests of a record until a moment. */
export interface Watch {
  readonly id: RecordId;
  readonly until: number;
  readonly by: Actor;
}

/** A request to the service and its answer, without headers and secrets. */
export interface Exchange {
  /** When it ended. */
  readonly at: number;
  readonly method: string;
  /** With its query, without the host. */
  readonly path: string;
  /** The body, where one was sent. */
  readonly sent?: string;
  /** Absent where no answer came: see `failure`. */
  readonly status?: number;
  /** The beginning of the body. */
  readonly answer?: string;
  /** Why no answer came. */
  readonly failure?: string;
  readonly durationMs: number;
}

/** Requests and answers of records that a person watches. */
export interface WatchStore {
  /** Begins the watch of a record, known or not, in place of an earlier one, and writes down who did. Durable when resolved. */
  watch(watch: Watch): Promise<void>;
  /** The watches that end after `now`. */
  watches(now: number): Promise<Watch[]>;
  /** Adds an exchange of a record; of more than `keep` the oldest go. */
  saveExchange(id: RecordId, exchange: Exchange, keep: number): Promise<void>;
  /** The exchanges of a record, newest first. */
  exchanges(id: RecordId): Promise<Exchange[]>;
  /** Removes exchanges and ended watches from before `before`; returns how many exchanges. */
  pruneExchanges(before: number): Promise<number>;
}
