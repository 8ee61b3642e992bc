import type { Cluster, ClusterState } from "../contract/cluster.ts";

const LEADS: ClusterState = {
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

/** The cluster of a store for a single process, which keeps its lock until it ends: it always leads, and it shares nothing. */
export const singleProcess: Cluster = {
  state: LEADS,
  failure: new Promise(() => undefined),
  mayWrite: () => true,
  follow: (_report, changed) => changed(LEADS),
  reportNow: () => undefined,
  lead: () => Promise.resolve(),
  resign: async (ended) => void (await ended),
  reserve: () => Promise.resolve(undefined),
  alone: (_name, _signal, work) => work(),
  members: () => Promise.resolve([]),
  fence: () => Promise.resolve(0),
};
