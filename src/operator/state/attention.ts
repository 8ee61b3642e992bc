import { errorText, type RecordState } from "#model";
import { needsPersonCount, type StreamStatus } from "#pipeline";
import type { RecordView } from "#store";
import { healsItself, remedyOf } from "./remedies.ts";

/** States in which a record differs from the ERP and will not be delivered soon. */
export const attentionStates = ["uncertain", "parked", "waiting"] as const satisfies readonly RecordState[];
export type AttentionState = (typeof attentionStates)[number];

/** States that a person may end by asking for a retry. */
export const retriableStates: readonly RecordState[] = ["waiting", "parked", "skipped"];

const meanings: Readonly<Record<RecordState, string>> = {
  due: "It will be delivered as soon as a worker is free, or at the time shown.",
  claimed: "A worker is delivering it now.",
  waiting: "It waits until it can be delivered; no attempt is counted.",
  applied: "The last change of the ERP was delivered.",
  parked: "It needs attention; all other records continue.",
  uncertain: "A create was started, and svcsync cannot find out whether the service carried it out.",
  skipped: "A rule of its stream, or a person, leaves it out.",
  deleted: "The ERP no longer has it, and its deletion was carried out.",
};

export const streamMeanings: Readonly<Record<StreamStatus["state"], string>> = {
  loading: "the first load is in progress",
  following: "every change is followed",
  failing: "the last poll failed, and the next one retries; or a file was refused",
  held: "nothing is delivered until a person decides",
  paused: "nothing is delivered until the end of the pause",
};

const unboundDue =
  "A person ended its binding. Nothing is sent for it until a person decides which record of the service it is.";

const guardedDue =
  "The ERP changed it together with many others at once, so the mass-change guard holds it. Nothing is sent for it until that round is decided: its stream says how.";

/** What a record's state means for it. */
export function meaningOf({
  state,
  decision,
  isGuarded,
}: Pick<RecordView, "state" | "decision" | "isGuarded">): string {
  if (state === "due" && decision?.kind === "unbound") return unboundDue;
  return isGuarded === true && (state === "due" || state === "waiting") ? guardedDue : meanings[state];
}

/**
 * What a person should know or do, one sentence each. A problem shared by several streams, such as an unreachable ERP,
 * is reported once.
 */
export function attentionOf(statuses: readonly Pick<StreamStatus, "name" | "attention">[]): string[] {
  const streams = new Map<string, string[]>();
  for (const { name, attention } of statuses)
    for (const sentence of attention) streams.set(sentence, [...(streams.get(sentence) ?? []), name]);
  return [...streams].map(([sentence, names]) => `${names.join(", ")}: ${sentence}`);
}

/** The same for a terminal: each sentence about failed polls is followed by its remedy; the others contain it. */
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

/** `person`: a person has to act. `time`: something fails and is retried. `none`: everything is in sync or being delivered. */
export type Urgency = "person" | "time" | "none";

/** How to treat records whose parent will never be bound: as a note, or as a problem that needs a person. */
export type BlockedPolicy = "note" | "problem";

type Facts = Pick<StreamStatus, "state" | "counts" | "cursor" | "deletionsHeld" | "blocked">;

/** How urgent the state of all streams is: the single rule behind exit codes and the page's colour. */
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
