import type { Actor, RecordId } from "#model";

/** A person's wish to see the requests of a record until a given time. */
export interface Watch {
  readonly id: RecordId;
  readonly until: number;
  readonly by: Actor;
}

/** A request to the service and its answer, without headers and secrets. */
export interface WatchedExchange {
  /** When it ended. */
  readonly at: number;
  readonly method: string;
  /** With the query, without the host. */
  readonly path: string;
  /** The request body, if there was one. */
  readonly sent?: string;
  /** Absent if no answer came: see `failure`. */
  readonly status?: number;
  /** The beginning of the answer's body. */
  readonly answer?: string;
  /** Why no answer came. */
  readonly failure?: string;
  readonly durationMs: number;
}

/** Requests and answers of watched records. */
export interface WatchStore {
  /** Begins to watch a record, known or not. Replaces an earlier watch and writes down who did it. Durable when resolved. */
  watch(watch: Watch): Promise<void>;
  /** The watches that end after `now`. */
  watches(now: number): Promise<Watch[]>;
  /** Adds an exchange of a record and keeps only the newest `keep`. */
  saveExchange(id: RecordId, exchange: WatchedExchange, keep: number): Promise<void>;
  /** The exchanges of a record, newest first. */
  exchanges(id: RecordId): Promise<WatchedExchange[]>;
}
