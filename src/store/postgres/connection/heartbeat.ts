import type { ReplicaReport, ReplicaState } from "../../contract/index.ts";
import type { Committed } from "./known-commits.ts";

/** What the store answers to a heartbeat. */
export interface Beat extends Omit<ReplicaState, "share" | "rate">, Committed {
  readonly share: number;
  readonly rate: number | null;
  readonly hasLeader: boolean;
  /** How many were silent for too long and still have their place. */
  readonly lost: number;
  /** Whether each replica has found on this server what it knows of: until then one may have made what another one is about to make. */
  readonly isConfirmed: boolean;
  /** The clock of the database. */
  readonly at: number;
}

/** The state before the first heartbeat: this process may send nothing. */
export const UNKNOWN_STATE: ReplicaState = {
  isLeader: false,
  isAgreed: false,
  isNeeded: false,
  share: 0,
  pausedMs: 0,
  rate: undefined,
  others: 0,
  othersServed: 0,
  mustFence: false,
  unconfirmed: undefined,
};
/** What is reported before the rest of the process is there. */
export const NOTHING_TO_TELL: ReplicaReport = { held: 0, isServed: true, ceiling: 0, pausedMs: 0, rate: undefined };

/** What a heartbeat tells a replica; one that works alone has no share, and one that has resigned does not lead. */
export function stateOf(beat: Beat, { isShared, mayLead }: { isShared: boolean; mayLead: boolean }): ReplicaState {
  const { isAgreed, isNeeded, pausedMs, others, othersServed, mustFence } = beat;
  return {
    isLeader: beat.isLeader && mayLead,
    isAgreed,
    isNeeded,
    share: isShared ? beat.share : undefined,
    pausedMs,
    rate: isShared ? (beat.rate ?? undefined) : undefined,
    others,
    othersServed,
    mustFence,
    unconfirmed: undefined,
  };
}
