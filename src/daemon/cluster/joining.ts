import { createHash } from "node:crypto";
import { ruleNames } from "#pipeline";
import { sharedQueueName } from "#queue";
import type { Secrets, Settings } from "#settings";
import type { JoiningMember } from "#store";
import type { SyncFile } from "#mapping";

/** How a daemon describes itself to the other replicas. Undefined if it works alone, because others cannot reach its queue. */
export function joiningMember(
  { store }: Pick<Settings, "store">,
  { queueUrl }: Pick<Secrets, "queueUrl">,
  { streams }: Pick<SyncFile, "streams">,
  version: string,
): JoiningMember | undefined {
  if (store.schema === undefined || queueUrl === undefined) return undefined;
  const mapping = streams.map((stream) => [
    stream.name,
    stream.fingerprint,
    ruleNames(stream),
    stream.deletion,
    stream.parents,
  ]);
  // Another version may map the same sync file to other values.
  return { version, queue: sharedQueueName(queueUrl), mapping: digest([version, mapping]) };
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
