import type { ReturnStream } from "#mapping";
import { counted, errorText, instantText, type ErrorFacts } from "#model";
import type { ReturnCounts, ReturnMark, ReturnStore, StoredReturn } from "#store";
import { roughDuration } from "../text/figures.ts";
import { openReturnStates, returnLabel } from "../text/return-text.ts";
import { healsItself, remedyOf } from "./remedies.ts";
import type { Urgency } from "./attention.ts";

/** A return that needs a person, as an example of others. */
export interface ReturnExample {
  /** `stream/subject/version`. */
  readonly id: string;
  readonly error: ErrorFacts;
}

/** Returns of one stream that wait for a person, for the same kind of reason. */
export interface ReturnTrouble {
  readonly kind: "refused" | "uncertain" | "held" | "blocked" | "following";
  readonly count: number;
  readonly example: ReturnExample | undefined;
}

/** Where a stream of returns stands, for `returns`, `status`, the page, the metrics and the notices. */
export interface ReturnStatus {
  readonly name: string;
  /** Undefined for a stream that is no longer in the sync file. */
  readonly kind: ReturnStream["kind"] | undefined;
  /** `held` by the guard, `paused` by a person, `failing` while a part of it fails, `unlisted` if the sync file no longer has it. */
  readonly state: "following" | "failing" | "held" | "paused" | "unlisted";
  readonly counts: ReturnCounts["states"];
  /** Milliseconds since the oldest return without an answer was delivered; undefined where no answer is expected, or missing. */
  readonly unansweredMs: number | undefined;
  /** Whether that is longer than `answers.within`. */
  readonly isOverdue: boolean;
  readonly mark: ReturnMark | undefined;
  readonly troubles: readonly ReturnTrouble[];
  /** What a person should know or do, one sentence each. */
  readonly attention: readonly string[];
}

/** How many rows are looked at for an example. */
const EXAMPLES = 20;
/** Later than any moment. */
const EVER = 8_640_000_000_000_000;

type Streams = readonly Pick<ReturnStream, "name" | "kind" | "answers">[];

/** Reads the store alone. Includes streams that are no longer in the sync file, while something of them is open. */
export async function readReturns(returns: ReturnStore, streams: Streams, now: number): Promise<ReturnStatus[]> {
  const counts = new Map((await returns.counts()).map((each) => [each.stream, each]));
  const left = [...counts.keys()].filter((name) => !streams.some((stream) => stream.name === name));
  const listed = await Promise.all(streams.map((stream) => statusOf(returns, stream, counts.get(stream.name), now)));
  return [...listed, ...left.flatMap((name) => unlisted(counts.get(name)!))];
}

async function statusOf(
  returns: ReturnStore,
  { name, kind, answers }: Streams[number],
  counts: ReturnCounts | undefined,
  now: number,
): Promise<ReturnStatus> {
  const mark = await returns.mark(name);
  const since = answers === undefined ? undefined : counts?.oldestUnanswered;
  const unansweredMs = since === undefined ? undefined : Math.max(0, now - since);
  const isOverdue = unansweredMs !== undefined && unansweredMs > (answers?.withinMs ?? Infinity);
  const troubles = counts === undefined ? [] : await troublesOf(returns, counts);
  const state =
    mark?.paused !== undefined
      ? "paused"
      : mark?.held !== undefined
        ? "held"
        : mark?.error === undefined
          ? "following"
          : "failing";
  const attention = [
    ...markSentences(name, mark, now),
    ...troubles.map((trouble) => troubleSentence(name, trouble)),
    ...(isOverdue
      ? [
          `the ERP has not answered the oldest return for ${roughDuration(unansweredMs)}, and was to answer within ` +
            `${roughDuration(answers!.withinMs)} (E_RETURN_UNANSWERED); ${remedy("E_RETURN_UNANSWERED", name)}`,
        ]
      : []),
  ];
  return { name, kind, state, counts: counts?.states ?? {}, unansweredMs, isOverdue, mark, troubles, attention };
}

async function troublesOf(returns: ReturnStore, counts: ReturnCounts): Promise<ReturnTrouble[]> {
  const { stream, states, openRefusals, following } = counts;
  const troubles: ReturnTrouble[] = [];
  const add = async (kind: Exclude<ReturnTrouble["kind"], "following">, count: number) => {
    if (count === 0) return;
    const found = await returns.find({
      stream,
      states: [kind],
      limit: EXAMPLES,
      ...(kind === "refused" && { unreplaced: true }),
    });
    troubles.push({ kind, count, example: exampleOf(found) });
  };
  await add("uncertain", states.uncertain ?? 0);
  await add("refused", openRefusals);
  await add("held", states.held ?? 0);
  await add("blocked", states.blocked ?? 0);
  if (following > 0) {
    const due = await returns.find({ stream, following: "due", dueBy: EVER, limit: EXAMPLES });
    const failed = due.filter(({ error }) => error !== undefined);
    if (failed.length > 0) troubles.push({ kind: "following", count: following, example: exampleOf(failed) });
  }
  return troubles;
}

function exampleOf(found: readonly StoredReturn[]): ReturnExample | undefined {
  const first = found.find(({ error }) => error !== undefined);
  return first?.error && { id: returnLabel(first), error: first.error };
}

const words: Readonly<Record<ReturnTrouble["kind"], (count: string) => string>> = {
  uncertain: (count) => `it is unknown whether ${count} arrived`,
  refused: (count) => `the ERP refused ${count}`,
  held: (count) => `${count} held for a person`,
  blocked: (count) => `${count} cannot be made yet`,
  following: (count) => `what follows ${count} in the service is outstanding`,
};

function troubleSentence(stream: string, { kind, count, example }: ReturnTrouble): string {
  const what = words[kind](counted(count, "return"));
  const list = `"svcsync returns ${stream}" lists ${count === 1 ? "it" : "them"}`;
  return example === undefined ? `${what}; ${list}` : `${what}: ${example.id}: ${errorText(example.error)}; ${list}`;
}

function markSentences(name: string, mark: ReturnMark | undefined, now: number): string[] {
  const { beginAt = 0, error, held, paused } = mark ?? {};
  return [
    ...(beginAt <= now
      ? []
      : [
          `begins at ${instantText(beginAt)}: what is final before is not returned, unless the sync file gets an earlier begin`,
        ]),
    ...(paused === undefined
      ? []
      : [`paused by ${paused.by.name}: nothing is handed over until "svcsync returns resume ${name}"`]),
    ...(held === undefined
      ? []
      : [
          `${counted(held.count, "return")} at once, and at most ${held.usual} in an hour before, so nothing is handed over ` +
            `(E_RETURN_GUARD); ${remedy("E_RETURN_GUARD", name)}`,
        ]),
    ...(error === undefined ? [] : [`does not work: ${errorText(error)}; ${remedy(error.code, name)}`]),
  ];
}

function remedy(code: string, stream: string): string {
  return remedyOf({ code }, { stream });
}

/** A refused one is settled as far as the ERP is concerned. */
const OPEN = openReturnStates.filter((state) => state !== "refused");

/** A stream that the sync file no longer has: nothing of it is handed over, and no answer is read. */
function unlisted({ stream, states }: ReturnCounts): ReturnStatus[] {
  const open = OPEN.reduce((sum, state) => sum + (states[state] ?? 0), 0);
  if (open === 0) return [];
  return [
    {
      name: stream,
      kind: undefined,
      state: "unlisted",
      counts: states,
      unansweredMs: undefined,
      isOverdue: false,
      mark: undefined,
      troubles: [],
      attention: [
        `${counted(open, "return")} of it open, and the sync file no longer has it under returns: nothing is handed over, and no answer is read`,
      ],
    },
  ];
}

/** What a person should know or do about streams of returns, one sentence each. */
export function returnNotes(statuses: readonly ReturnStatus[]): string[] {
  return statuses.flatMap(({ name, attention }) => attention.map((text) => `${name}: ${text}`));
}

/** How urgent the state of the streams of returns is: see {@link Urgency}. */
export function returnUrgency(statuses: readonly ReturnStatus[]): Urgency {
  if (statuses.some(needsPerson)) return "person";
  return statuses.some(({ state }) => state === "failing") ? "time" : "none";
}

function needsPerson({ state, isOverdue, mark, troubles }: ReturnStatus): boolean {
  return (
    state === "held" ||
    isOverdue ||
    (mark?.error !== undefined && !healsItself(mark.error.code)) ||
    troubles.some(({ example }) => example === undefined || !healsItself(example.error.code))
  );
}
