import type { Actor, ErrorFacts, RecordId, SyncError } from "#model";
import type { Claim } from "../claim.ts";

/** A process that shares the store with others. */
export interface ClusterMember {
  /** The host. Two members may have the same name. */
  readonly name: string;
  readonly version: string;
  readonly startedAt: number;
  /** When its last heartbeat arrived. */
  readonly seenAt: number;
  readonly isLeader: boolean;
  /** Whether it has the leader's mapping. A member with another sync file delivers nothing. */
  readonly isAgreed: boolean;
  /** Whether the service answers its requests. */
  readonly isServed: boolean;
  /** Whether it should deliver. If the service's rate limit is low, fewer members deliver. */
  readonly isNeeded: boolean;
  /** How many requests it may have in flight at once; null if it works alone. */
  readonly share: number | null;
}

/** What this process reports to the other members with each heartbeat. */
export interface ClusterReport {
  /** The most requests that it has in flight, or may still start, at once. */
  readonly held: number;
  readonly isServed: boolean;
  /** How many requests the service can take at once; the leader divides them. */
  readonly ceiling: number;
  /** For how many more milliseconds the service asked this process to pause. */
  readonly pausedMs: number;
  /** How many requests per second it sends at most. Undefined until the service has refused a request as too many. */
  readonly rate: number | undefined;
}

/** What this process knows about itself and the other members since its last heartbeat. */
export interface ClusterState {
  readonly isLeader: boolean;
  /** Whether it has the leader's mapping. The store refuses claims of other members, so they deliver nothing. */
  readonly isAgreed: boolean;
  /**
   * Whether it should deliver: it has the leader's mapping, the service answers it, and the rate limit is high enough for another member
   * to help.
   */
  readonly isNeeded: boolean;
  /** How many requests it may have in flight at once; undefined if it need not share. */
  readonly share: number | undefined;
  /** For how many more milliseconds the service asked any member to pause. */
  readonly pausedMs: number;
  /** How many requests per second it may send. Undefined while no limit is known, or if it need not share. */
  readonly rate: number | undefined;
  /** How many other members there are, and how many of them the service answers. */
  readonly others: number;
  readonly othersServed: number;
  /** Whether the session of a lost member must still be ended. Until then nothing can be claimed. */
  readonly mustFence: boolean;
  /** Why the store cannot confirm this process's place, once another one may take over. Undefined after each successful heartbeat. */
  readonly unconfirmed: ErrorFacts | undefined;
}

/**
 * The processes that share one store, as one of them sees it. Each may deliver. One of them leads: it polls, wakes and decides for all. A
 * process that loses its place is refused everything from then on (E_STORE_LOST); a leader also loses the lead. A member is also refused
 * everything (E_STORE_REWOUND) if the store has lost steps that were confirmed to it. If creates were among them, all members lose their
 * places and the store counts as restored. In a store for a single process, that process always leads and shares nothing.
 */
export interface Cluster {
  /** The share of the work, the agreed limits, and who leads. */
  readonly state: ClusterState;

  /** Resolves with the reason why this process must end: it lost its place, or the store refuses it and waiting would not help. */
  readonly failure: Promise<SyncError>;

  /**
   * False while another daemon may have taken over the store. Nothing may then be sent to the service, because the other daemon may be
   * delivering the same record. Callers ask right before each write; it answers from memory.
   */
  mayWrite(): boolean;

  /** Sends the result of `report` with each heartbeat, and calls `changed` with the state after each one. */
  follow(report: () => ClusterReport, changed: (state: ClusterState) => void): void;

  /** Sends a heartbeat now, because the next one would be too late. */
  reportNow(): void;

  /**
   * Tells the store that the leader is ready. From now on the leader and members with its mapping may claim, until the last of them has
   * ended.
   */
  lead(): Promise<void>;

  /**
   * Gives up the lead for good. For this process that holds at once. For the others it holds when `ended` resolves to true, because the
   * leader's work has then ended here. If it resolves to false, or the store cannot be reached, the lead is free when this process ends.
   * The process keeps its place and its claims.
   */
  resign(ended: Promise<boolean>): Promise<void>;

  /**
   * Reserves names (natural keys) for the delivery of this claim, until it has ended without an open create. The first name identifies the
   * record: returns the record that already holds it, or undefined if all names are now reserved.
   */
  reserve(claim: Claim, names: readonly string[]): Promise<RecordId | undefined>;

  /** Runs `work` while no other process runs work of this name, and waits until then. Rejects with the reason of an abort. */
  alone<Result>(name: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;

  /** The processes that share the store, oldest first. Empty for a store that only one process can use. */
  members(): Promise<ClusterMember[]>;

  /**
   * Removes silent members of this name, because a person knows that they are dead. Returns how many: 0 if none has that name. Durable when
   * resolved.
   * @throws {ParkError} E_REPLICA_ALIVE when one sent a heartbeat a moment ago.
   */
  fence(name: string, by: Actor): Promise<number>;
}
