import { errorText, type RecordState } from "#model";
import { needsPersonCount, type StreamStatus } from "#pipeline";
import type { RecordView } from "#store";
import { healsItself, remedyOf } from "./remedies.ts";

/** States in which a record is not where the ERP wants it and will not get there at once. */
export const attentionStates = ["uncertain", "parked", "waiting"] as const satisfies readonly RecordState[];

/** States that a person may end by asking for another try. */
export const retriableStates: readonly RecordState[] = ["waiting", "parked", "skipped"];

const meanings: Readonly<Record<RecordState, string>> = {
  due: "It will be delivered as soon as a worker is free, or at the time shown.",
  claimed: "A worker is delivering it now.",
  waiting: "It is not its turn yet; no attempt is counted.",
  applied: "The last change of the ERP was delivered.",
  parked: "It needs attention; all other records continue.",
  uncertain: "A create was started, and svcsync cannot find out whether the service carried it out.",
  skipped: "The rules of its stream, or a person, leave it out.",
  deleted: "The ERP no longer has it, and its deletion was carried out.",
};

const unboundDue =
  "A person ended its binding. Nothing is sent for it until a person decides which record of the service it is.";

/** What the record's state means for it. */
export function meaningOf({ state, decision }: Pick<RecordView, "state" | "decision">): string {
  return state === "due" && decision?.kind === "unbound" ? unboundDue : meanings[state];
}

/** What a person should know or do, a sentence each; what is the same in several streams (an ERP that cannot be reached) is said once. */
export function attentionOf(statuses: readonly Pick<StreamStatus, "name" | "attention">[]): string[] {
  const streams = new Map<string, string[]>();
  for (const { name, attention } of statuses)
    for (const sentence of attention) streams.set(sentence, [...(streams.get(sentence) ?? []), name]);
  return [...streams].map(([sentence, names]) => `${names.join(", ")}: ${sentence}`);
}

/** The same for a terminal: below the sentence about failed polls what to do about them. The others end in it. */
export function attentionLines(statuses: readonly Pick<StreamStatus, "name" | "attention" | "cursor">[]): string[] {
  const failed = statuses.flatMap(({ name, cursor: { error } }) => (error === undefined ? [] : [{ name, error }]));
  return attentionOf(statuses).flatMap((line) => {
    const found = failed.find(({ error }) => line.endsWith(`polls fail: ${errorText(error)}`));
    return found === undefined ? [line] : [line, `  -> ${remedyOf(found.error, { stream: found.name })}`];
  });
}

/** The commands that list the records behind the counts. */
export function listHints(statuses: readonly Pick<StreamStatus, "name" | "counts">[]): string[] {
  const inNeed = statuses.filter((each) => needsPersonCount(each) > 0);
  const hints = inNeed.map(({ name }) => `${name}: "svcsync records ${name}" lists what needs attention`);
  if (statuses.some(({ counts }) => (counts.waiting ?? 0) > 0))
    hints.push('"svcsync records --state waiting" lists what waits, and for what');
  return hints;
}

/** `person`: a person has to act. `time`: something fails and is retried. `none`: everything is in sync or on its way. */
export type Urgency = "person" | "time" | "none";

/** What records mean that wait for a parent which will not come: a note, or a problem that needs a person. */
export type BlockedPolicy = "note" | "problem";

type Facts = Pick<StreamStatus, "state" | "counts" | "cursor" | "deletionsHeld" | "blocked">;

/** How urgent the state of all streams is: the one rule behind exit codes and the colour of the page. */
export function urgencyOf(statuses: readonly Facts[], blocked: BlockedPolicy): Urgency {
  if (statuses.some((status) => needsPerson(status, blocked))) return "person";
  return statuses.some(({ state }) => state === "failing") ? "time" : "none";
}

function needsPerson(status: Facts, policy: BlockedPolicy): boolean {
  const { state, cursor, deletionsHeld, blocked } = status;
  return (
    state === "held" ||
    needsPersonCount(status) > 0 ||
    deletionsHeld > 0 ||
    (cursor.error !== undefined && !healsItself(cursor.error.code)) ||
    (policy === "problem" && blocked > 0)
  );
}
