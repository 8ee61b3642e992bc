import type { Actor, ErrorFacts, RecordId, SyncError } from "#model";
import type { Claim } from "../claim.ts";

/** A process that works on the store beside others. */
export interface Replica {
  /** Where it runs. Two replicas may have the same name. */
  readonly name: string;
  readonly version: string;
  readonly startedAt: number;
  /** When it was last heard of. */
  readonly seenAt: number;
  readonly isLeader: boolean;
  /** Whether it maps as the leader does: one with another sync file delivers nothing. */
  readonly isAgreed: boolean;
  /** Whether the service answers it. */
  readonly isServed: boolean;
  /** Whether it is to deliver. Where the service lets few requests pass, fewer replicas deliver. */
  readonly isNeeded: boolean;
  /** How many requests it may have at the service at once; null where it works alone. */
  readonly share: number | null;
}

/** What this process tells the others with each heartbeat. */
export interface ReplicaReport {
  /** The most requests that it has, or may still begin, at once. */
  readonly held: number;
  readonly isServed: boolean;
  /** How many requests the service can take at once: the leader divides them. */
  readonly ceiling: number;
  /** For how many milliseconds more the service asked this process to stay away. */
  readonly pausedMs: number;
  /** How many requests it sends within a second at most; undefined until the service has refused one as too many. */
  readonly rate: number | undefined;
}

/** What this process knows of the others, as of its last heartbeat. */
export interface ReplicaState {
  readonly isLeader: boolean;
  /** Whether it maps as the leader does. Others deliver nothing: the store refuses their claims. */
  readonly isAgreed: boolean;
  /** Whether it is to deliver: it maps as the leader does, the service answers it, and lets so many requests pass that one replica more helps. */
  readonly isNeeded: boolean;
  /** How many requests it may have at the service at once; undefined where it need not share. */
  readonly share: number | undefined;
  /** For how many milliseconds more the service asked any of them to stay away. */
  readonly pausedMs: number;
  /** How many requests it may send within a second; undefined while no limit is known, or where it need not share. */
  readonly rate: number | undefined;
  /** How many others work on the store, and how many of them the service answers. */
  readonly others: number;
  readonly othersServed: number;
  /** Whether the session of a lost replica is still to be ended: until then nothing can be claimed. */
  readonly mustFence: boolean;
  /** Why the store no longer confirms this process, once another one may take over; undefined after each heartbeat. */
  readonly unconfirmed: ErrorFacts | undefined;
}

/**
 * How several processes work on one store. Each may deliver; one of them leads: it polls, wakes and decides for
 * all. A process that loses its place is refused everything from then on (E_STORE_LOST); a leader loses the lead with it. A replica that
 * knows of confirmed steps which the store has lost is refused everything, too (E_STORE_REWOUND); if creates were among them, all lose their
 * places, and the store counts as restored. In a store that belongs to one process,
 * that one always leads.
 */
export interface ReplicaStore {
  readonly state: ReplicaState;

  /** Resolves with the reason why this process has to end: its place is gone, or the store refuses it and waiting would not help. */
  readonly failure: Promise<SyncError>;

  /** Tells the others what `report` returns with each heartbeat, and calls `changed` with the state after each one. */
  follow(report: () => ReplicaReport, changed: (state: ReplicaState) => void): void;

  /** Tells them now: the next heartbeat would be too late. */
  tell(): void;

  /** The leader is ready: replicas with its mapping, and the leader itself, may claim from now on, until the last of them has ended. */
  lead(): Promise<void>;

  /**
   * Gives up the lead for good: at once as far as this process is concerned; for the others when `ended` resolves to true, since what only a
   * leader does has ended here by then. If it resolves to false, or the store cannot be told, the end of this process gives the lead back. It
   * keeps its place and its claims.
   */
  resign(ended: Promise<boolean>): Promise<void>;

  /**
   * Reserves names (natural keys) for the delivery of this claim: until it has ended and left no open create behind. Returns the record that
   * has one of them, or undefined; then all are reserved.
   */
  reserve(claim: Claim, names: readonly string[]): Promise<RecordId | undefined>;

  /** Runs `work` while no other process runs any of this name; waits until then. Rejects with the reason of an abort. */
  alone<Result>(name: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;

  /** The processes that work on the store, the oldest first; empty for a store that only one can use. */
  list(): Promise<Replica[]>;

  /**
   * Removes the replicas of this name that have been silent: a person knows that they are dead. Returns how many. Durable
   * when resolved.
   * @throws {ParkError} E_REPLICA_ALIVE when one was heard of a moment ago, E_REPLICA_UNKNOWN.
   */
  fence(name: string, by: Actor): Promise<number>;
}
