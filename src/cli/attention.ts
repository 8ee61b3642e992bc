import type { StreamStatus } from "#pipeline";

/** What a person should know or do, a line each; what is the same in several streams (an ERP that is away) is said once. */
export function attentionText(statuses: readonly Pick<StreamStatus, "name" | "attention">[]): string {
  const streams = new Map<string, string[]>();
  for (const { name, attention } of statuses)
    for (const sentence of attention) streams.set(sentence, [...(streams.get(sentence) ?? []), name]);
  return [...streams].map(([sentence, names]) => `${names.join(", ")}: ${sentence}\n`).join("");
}
