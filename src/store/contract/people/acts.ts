import type { Actor, Key, StreamName } from "#model";
import type { AuditEntry } from "../../claim.ts";

/** A pause of one stream. */
export interface Pause {
  readonly since: number;
  /** When the pause ends without a person. */
  readonly until: number;
  /** Whether polling is paused too. */
  readonly polls: boolean;
  readonly by: Actor;
}

/** An action of a person: once, or the same action on several records of a stream within a minute. */
export interface PersonAct {
  /** When it last happened. */
  readonly at: number;
  /** Empty if the action concerns no stream. */
  readonly stream: StreamName;
  /** The record, or one of them if there are several. Empty if the action concerns the whole stream. */
  readonly key: Key;
  /** The number of records, at least 1. */
  readonly count: number;
  readonly action: AuditEntry["action"];
  readonly outcome: string;
  readonly by: Actor;
}

/** What people do to streams. The steps of {@link OperatorStore} write down what they do to records. */
export interface ActStore {
  /** Adds a person's action on a stream, or on none (an empty name), to the audit trail. Durable when resolved. */
  save(stream: StreamName, act: Pick<AuditEntry, "action" | "outcome">, by: Actor): Promise<void>;

  /**
   * What people did to streams and records since `since`, newest first. Entries on records of a stream form one act if they share action,
   * outcome, person, reason and minute (by the clock). Each entry on a whole stream is its own act.
   */
  recent(query: { since: number; limit: number; stream?: StreamName | undefined }): Promise<PersonAct[]>;

  /** Pauses the streams, replacing an earlier pause, and writes down who did it. Durable when resolved. */
  pause(streams: readonly StreamName[], pause: Pause): Promise<void>;

  /** Ends the pauses of these streams and writes down who did it. Returns the streams that were paused at `now`. */
  resume(streams: readonly StreamName[], now: number, by: Actor): Promise<StreamName[]>;

  /** The stream's last pause, even if its time is over. Undefined once a person ended it. */
  pauseOf(stream: StreamName): Promise<Pause | undefined>;
}
