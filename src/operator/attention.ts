import { needsPersonCount, type StreamStatus } from "#pipeline";

/** What a person should know or do, a sentence each; what is the same in several streams (an ERP that is away) is said once. */
export function attentionOf(statuses: readonly Pick<StreamStatus, "name" | "attention">[]): string[] {
  const streams = new Map<string, string[]>();
  for (const { name, attention } of statuses)
    for (const sentence of attention) streams.set(sentence, [...(streams.get(sentence) ?? []), name]);
  return [...streams].map(([sentence, names]) => `${names.join(", ")}: ${sentence}`);
}

/** The commands that list the records behind the counts. */
export function listHints(statuses: readonly Pick<StreamStatus, "name" | "counts">[]): string[] {
  const inNeed = statuses.filter((each) => needsPersonCount(each) > 0);
  const hints = inNeed.map(({ name }) => `${name}: "svcsync records ${name}" lists what needs attention`);
  if (statuses.some(({ counts }) => (counts.waiting ?? 0) > 0))
    hints.push('"svcsync records --state waiting" lists what waits, and for what');
  return hints;
}
