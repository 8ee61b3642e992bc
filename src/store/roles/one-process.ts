import { ParkError } from "#model";
import type { ReplicaState, ReplicaStore } from "../contract/replicas.ts";

const LEADS: ReplicaState = {
  isLeader: true,
  isAgreed: true,
  isNeeded: true,
  share: undefined,
  pausedMs: 0,
  rate: undefined,
  others: 0,
  othersServed: 0,
  mustFence: false,
  unconfirmed: undefined,
};

/** The replicas of a store for a single process, which always leads and shares nothing. */
export const oneProcess: ReplicaStore = {
  state: LEADS,
  failure: new Promise(() => undefined),
  follow: (_report, changed) => changed(LEADS),
  tell: () => undefined,
  lead: () => Promise.resolve(),
  resign: async (ended) => void (await ended),
  reserve: () => Promise.resolve(undefined),
  alone: (_name, _signal, work) => work(),
  list: () => Promise.resolve([]),
  fence: (name) => Promise.reject(unknownReplica(name)),
};

export function unknownReplica(name: string): ParkError {
  return new ParkError(
    "E_REPLICA_UNKNOWN",
    `no replica is called ${JSON.stringify(name)}; "svcsync replicas" lists them`,
  );
}
