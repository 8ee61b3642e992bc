import { counted } from "#model";
import type { BackupState, CareStore, ChannelState, DriftState, NoticeStore, Replica, ReplicaStore } from "#store";
import { roughDuration } from "./figures.ts";

/** What runs beside the pipeline: scheduled backups and comparisons, and the notification channels. */
export interface UpkeepFacts {
  readonly backup: BackupState | undefined;
  readonly drift: DriftState | undefined;
  readonly channels: readonly (ChannelState & { readonly waiting: number })[];
  /** The daemons that share a store in PostgreSQL. */
  readonly replicas?: readonly Replica[];
}

export async function readUpkeep({
  care,
  notices,
  replicas,
}: {
  readonly care: CareStore;
  readonly notices: Pick<NoticeStore, "channels">;
  readonly replicas: Pick<ReplicaStore, "list">;
}): Promise<UpkeepFacts> {
  return {
    backup: await care.backupState(),
    drift: await care.driftState(),
    channels: await notices.channels(),
    replicas: await replicas.list(),
  };
}

/** How many differences the last comparison found, by kind and stream. */
export function driftFound(drift: DriftState | undefined): { readonly count: number; readonly text: string } {
  const found = Object.entries(drift?.drifts ?? {}).flatMap(([stream, kinds]) =>
    Object.entries(kinds).flatMap(([kind, count]) => (count > 0 ? [{ stream, kind, count }] : [])),
  );
  return {
    count: found.reduce((sum, each) => sum + each.count, 0),
    text: found.map(({ stream, kind, count }) => `${stream}: ${count} ${kind}`).join(", "),
  };
}

/** The state of upkeep, one sentence each, failures last; empty where nothing is set up. */
export function upkeepText(facts: UpkeepFacts, now: number): string[] {
  const { backup, drift } = facts;
  const sentences: string[] = [];
  if (backup?.verified)
    sentences.push(`last verified backup: ${roughDuration(now - backup.verified.at)} ago, ${backup.verified.path}`);
  const { count } = driftFound(drift);
  if (drift?.comparedAt !== undefined)
    sentences.push(
      `compared with the service ${roughDuration(now - drift.comparedAt)} ago: ${count === 0 ? "no difference" : `${counted(count, "difference")}, listed by "svcsync reconcile"`}`,
    );
  return [...replicasText(facts.replicas), ...sentences, ...upkeepFailures(facts, now)];
}

/** What a replica does. */
export function replicaState({ isLeader, isAgreed, isServed, isNeeded }: Replica): string {
  if (!isServed) return isLeader ? "leads, but the service does not answer it" : "the service does not answer it";
  if (isLeader) return isAgreed ? "leads and delivers" : "begins to lead";
  if (!isAgreed) return "waits: its sync file or version is not the leader's";
  return isNeeded ? "delivers" : "waits: the service allows so few requests that fewer replicas are enough";
}

/** The replicas in one sentence; empty where there are no others. */
function replicasText(replicas: readonly Replica[] = []): string[] {
  if (replicas.length < 2) return [];
  const leader = replicas.find(({ isLeader }) => isLeader)?.name ?? "none yet";
  const delivering = replicas.filter(({ isNeeded }) => isNeeded).length;
  return [`${counted(replicas.length, "replica")}, ${delivering} deliver; leader: ${leader}`];
}

/** Failures of upkeep, one sentence each. */
export function upkeepFailures({ backup, drift, channels }: UpkeepFacts, now: number): string[] {
  const sentences: string[] = [];
  if (backup?.failure !== undefined) sentences.push(`the last backup failed: ${backup.failure}`);
  if (drift?.failure !== undefined) sentences.push(`the last comparison with the service failed: ${drift.failure}`);
  for (const { name, failure, waiting } of channels)
    if (failure)
      sentences.push(
        `messages by ${name} have not been delivered for ${roughDuration(now - failure.since)} (${waiting} waiting): ${failure.message}`,
      );
  return sentences;
}
