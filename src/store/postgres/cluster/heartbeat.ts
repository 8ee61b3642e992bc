import type { ClusterReport, ClusterState } from "../../contract/index.ts";
import type { Committed } from "./known-commits.ts";

/** The store's answer to a heartbeat. */
export interface Beat extends Omit<ClusterState, "share" | "rate">, Committed {
  readonly share: number;
  readonly rate: number | null;
  readonly hasLeader: boolean;
  /** How many replicas were silent for too long but still have their place. */
  readonly lost: number;
  /** Whether each replica has confirmed that this server has all that it knows. Until then, two replicas might create the same record. */
  readonly isConfirmed: boolean;
  /** The time by the database's clock. */
  readonly at: number;
}

/** The state before the first heartbeat: this process may not send anything. */
export const UNKNOWN_STATE: ClusterState = {
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
/** The report of a process that is still starting. */
export const NOTHING_TO_TELL: ClusterReport = { held: 0, isServed: true, ceiling: 0, pausedMs: 0, rate: undefined };

/** The state after a heartbeat. A replica that works alone has no share, and one that has resigned does not lead. */
export function stateOf(beat: Beat, { isShared, mayLead }: { isShared: boolean; mayLead: boolean }): ClusterState {
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
