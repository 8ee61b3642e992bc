import { counted } from "#model";
import type { BackupState, CareStore, ChannelState, Cluster, DriftState, NoticeStore } from "#store";
import { clusterText, readCluster, type ClusterFacts } from "./cluster-text.ts";
import { roughDuration } from "./figures.ts";

/** What runs beside the pipeline: scheduled backups and comparisons, the notification channels, and other daemons. */
export interface UpkeepFacts extends ClusterFacts {
  readonly backup: BackupState | undefined;
  readonly drift: DriftState | undefined;
  readonly channels: readonly (ChannelState & { readonly waiting: number })[];
}

export async function readUpkeep({
  care,
  notices,
  cluster,
}: {
  readonly care: CareStore;
  readonly notices: Pick<NoticeStore, "channels">;
  readonly cluster: Pick<Cluster, "members">;
}): Promise<UpkeepFacts> {
  return {
    backup: await care.backupState(),
    drift: await care.driftState(),
    channels: await notices.channels(),
    ...(await readCluster(cluster)),
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
  return [...clusterText(facts), ...sentences, ...upkeepFailures(facts, now)];
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
