import { counted, ParkError } from "#model";
import type { Cluster, ClusterMember } from "#store";

/** The daemons that share a store in PostgreSQL. People call them replicas. */
export interface ClusterFacts {
  readonly replicas?: readonly ClusterMember[];
}

export async function readCluster(cluster: Pick<Cluster, "members">): Promise<ClusterFacts> {
  return { replicas: await cluster.members() };
}

/** Whether daemons share the store, so that one of them may have stopped while the others work. */
export function isShared({ replicas = [] }: ClusterFacts): boolean {
  return replicas.length > 0;
}

/** What a member does. */
export function memberState({ isLeader, isAgreed, isServed, isNeeded }: ClusterMember): string {
  if (!isServed) return isLeader ? "leads, but the service does not answer it" : "the service does not answer it";
  if (isLeader) return isAgreed ? "leads and delivers" : "begins to lead";
  if (!isAgreed) return "waits: its sync file or version is not the leader's";
  return isNeeded ? "delivers" : "waits: the service allows so few requests that fewer replicas are enough";
}

/** The members in one sentence; empty where there are no others. */
export function clusterText({ replicas = [] }: ClusterFacts): string[] {
  if (replicas.length < 2) return [];
  const leader = replicas.find(({ isLeader }) => isLeader)?.name ?? "none yet";
  const delivering = replicas.filter(({ isNeeded }) => isNeeded).length;
  return [`${counted(replicas.length, "replica")}, ${delivering} deliver; leader: ${leader}`];
}

/** The error of an act on a member that the store does not have. */
export function unknownMember(name: string): ParkError {
  return new ParkError(
    "E_REPLICA_UNKNOWN",
    `no replica is called ${JSON.stringify(name)}; "svcsync replicas" lists them`,
  );
}
