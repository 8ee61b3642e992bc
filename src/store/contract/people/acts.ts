import type { Actor, Key, StreamName } from "#model";
import type { AuditEntry } from "../../claim.ts";

/** A pause of one stream. */
export interface Pause {
  readonly since: number;
  /** It ends at this moment without a person. */
  readonly until: number;
  /** Whether the stream is not polled either. */
  readonly polls: boolean;
  readonly by: Actor;
}

/** What a person did: once, or alike to several records of a stream within a minute. */
export interface PersonAct {
  /** The last time. */
  readonly at: number;
  /** Empty for an act on no stream. */
  readonly stream: StreamName;
  /** The record; empty for an act on the whole stream, and one of the records where there are several. */
  readonly key: Key;
  /** How many records, or 1. */
  readonly count: number;
  readonly action: AuditEntry["action"];
  readonly outcome: string;
  readonly by: Actor;
}

/** What people do to streams. What they do to records is written down by the steps of {@link OperatorStore}. */
export interface ActStore {
  /** Adds what a person did to a stream, or to none (an empty name), to the audit trail. Durable when resolved. */
  save(stream: StreamName, act: Pick<AuditEntry, "action" | "outcome">, by: Actor): Promise<void>;

  /**
   * What people did since `since`, to streams and to records, newest first. Entries of one action, outcome, person and reason on
   * records of a stream within a minute of the clock are one act; each act on a stream is one of its own.
   */
  recent(query: { since: number; limit: number; stream?: StreamName | undefined }): Promise<PersonAct[]>;

  /** Pauses the streams, over an earlier pause, and writes down who did. Durable when resolved. */
  pause(streams: readonly StreamName[], pause: Pause): Promise<void>;

  /** Ends the pauses of these streams and writes down who did; returns those that were paused at `now`. */
  resume(streams: readonly StreamName[], now: number, by: Actor): Promise<StreamName[]>;

  /** The stream's last pause, ended by its time or not; undefined once a person ended it. */
  pauseOf(stream: StreamName): Promise<Pause | undefined>;
}
