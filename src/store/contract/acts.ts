import type { Actor, StreamName } from "#model";
import type { AuditEntry } from "../claim.ts";

/** A pause of one stream. */
export interface Pause {
  readonly since: number;
  /** It ends at this moment without a person. */
  readonly until: number;
  /** Whether the stream is not polled either. */
  readonly polls: boolean;
  readonly by: Actor;
}

/** What people do to streams. What they do to records is written down by the steps of {@link OperatorStore}. */
export interface ActStore {
  /** Adds what a person did to a stream to the audit trail. Durable when resolved. */
  save(stream: StreamName, act: Pick<AuditEntry, "action" | "outcome">, by: Actor): Promise<void>;

  /** Pauses the streams, over an earlier pause, and writes down who did. Durable when resolved. */
  pause(streams: readonly StreamName[], pause: Pause): Promise<void>;

  /** Ends the pauses of these streams and writes down who did; returns those that were paused at `now`. */
  resume(streams: readonly StreamName[], now: number, by: Actor): Promise<StreamName[]>;

  /** The stream's last pause, ended by its time or not; undefined once a person ended it. */
  pauseOf(stream: StreamName): Promise<Pause | undefined>;
}
