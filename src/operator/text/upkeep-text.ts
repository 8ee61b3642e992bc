import type { BackupState, CareStore, ChannelState, DriftState, NoticeStore } from "#store";
import { duration } from "./figures.ts";

/** What runs beside the pipeline: scheduled backups and comparisons, and the channels that tell people of trouble. */
export interface UpkeepFacts {
  readonly backup: BackupState | undefined;
  readonly drift: DriftState | undefined;
  readonly channels: readonly (ChannelState & { readonly waiting: number })[];
}

export async function readUpkeep({
  care,
  notices,
}: {
  readonly care: CareStore;
  readonly notices: Pick<NoticeStore, "channels">;
}): Promise<UpkeepFacts> {
  return {
    backup: await care.backupState(),
    drift: await care.driftState(),
    channels: await notices.channels(),
  };
}

/** How many differences the last comparison found, and how many of which kind in which stream. */
export function driftFound(drift: DriftState | undefined): { readonly count: number; readonly text: string } {
  const found = Object.entries(drift?.drifts ?? {}).flatMap(([stream, kinds]) =>
    Object.entries(kinds).flatMap(([kind, count]) => (count > 0 ? [{ stream, kind, count }] : [])),
  );
  return {
    count: found.reduce((sum, each) => sum + each.count, 0),
    text: found.map(({ stream, kind, count }) => `${stream}: ${count} ${kind}`).join(", "),
  };
}

/** How it is doing, a sentence each, failures last; none where nothing is set up. */
export function upkeepText(facts: UpkeepFacts, now: number): string[] {
  const { backup, drift } = facts;
  const sentences: string[] = [];
  if (backup?.verified)
    sentences.push(`last verified backup: ${duration(now - backup.verified.at)} ago, ${backup.verified.path}`);
  const { count } = driftFound(drift);
  if (drift?.comparedAt !== undefined)
    sentences.push(
      `compared with the service ${duration(now - drift.comparedAt)} ago: ${count === 0 ? "no difference" : `${count} differences, "svcsync reconcile" lists them`}`,
    );
  return [...sentences, ...upkeepFailures(facts, now)];
}

/** What fails of it, a sentence each. */
export function upkeepFailures({ backup, drift, channels }: UpkeepFacts, now: number): string[] {
  const sentences: string[] = [];
  if (backup?.failure !== undefined) sentences.push(`the last backup failed: ${backup.failure}`);
  if (drift?.failure !== undefined) sentences.push(`the last comparison with the service failed: ${drift.failure}`);
  for (const { name, failure, waiting } of channels)
    if (failure)
      sentences.push(
        `messages by ${name} are not delivered since ${duration(now - failure.since)} (${waiting} waiting): ${failure.message}`,
      );
  return sentences;
}
