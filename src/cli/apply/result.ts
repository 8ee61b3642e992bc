import { counted, recordLabel, textLines, grouped, type RecordId, type StreamName } from "#model";
import type { Approved, Delivery, Observer } from "#pipeline";
import { eachPage, type RecordStore } from "#store";
import type { Outlook } from "./approve.ts";

/** Records that are named. */
const NAMED = 20;

/** The result of an apply: what was delivered, and what was not. */
export interface ApplyResult {
  /** Records that were delivered, by outcome. */
  readonly outcomes: Readonly<Record<"created" | "adopted" | "updated" | "unchanged" | "deleted" | "skipped", number>>;
  /** Records that were as planned before this run began. */
  readonly done: number;
  /** Records that were parked, and which the plan did not park. */
  readonly parked: readonly RecordId[];
  /** Records that were not written, because their delivery would have written something else. */
  readonly left: Approved["left"];
  /** Records of the plan that are not finished. */
  readonly unfinished: number;
  /** Records that wait for the next run, because they are not in the plan. */
  readonly others: number;
}

/** Counts what the deliveries of one run resulted in. */
export class Outcomes implements Observer {
  readonly counts = { created: 0, adopted: 0, updated: 0, unchanged: 0, deleted: 0, skipped: 0 };
  readonly parked: RecordId[] = [];
  readonly pollErrors = new Map<StreamName, string>();
  readonly #approved: Approved;

  constructor(approved: Approved) {
    this.#approved = approved;
  }

  pollFailed(stream: StreamName, { message }: { readonly message: string }): void {
    this.pollErrors.set(stream, message);
  }

  delivered(id: RecordId, delivery: Delivery): void {
    if (delivery.kind === "done") this.counts[delivery.outcome] += 1;
    else if (delivery.kind !== "parked" && delivery.kind !== "uncertain") return;
    else if (this.#approved.verdictOf(id) !== "park") this.parked.push(id);
  }
}

/** Counts records that are still to be delivered: `unfinished` ones of the plan, and `others`. */
export async function countLeft(
  store: Pick<RecordStore, "records">,
  streams: readonly StreamName[],
  approved: Approved,
): Promise<Pick<ApplyResult, "unfinished" | "others">> {
  let [unfinished, others] = [0, 0];
  for (const stream of streams)
    for await (const page of eachPage(store, { stream, states: ["due", "claimed", "waiting"] }))
      for (const { id } of page) {
        const verdict = approved.verdictOf(id);
        if (verdict === undefined) others += 1;
        // What the plan lets wait may wait; what was left is counted as left.
        else if (verdict !== "wait" && approved.mayDeliver(id)) unfinished += 1;
      }
  return { unfinished, others };
}

/** What is about to be done, for the question. */
export function outlookText({ open, done }: Outlook): string {
  const acts = Object.entries(open).map(([verdict, count]) => `${grouped(count)} ${verdict}`);
  const already = done === 0 ? "" : ` ${counted(done, "record")} are as planned already.`;
  return `The plan is what svcsync would do now: ${acts.length === 0 ? "nothing" : acts.join(", ")}.${already}`;
}

export function resultText({ outcomes, done, parked, left, unfinished, others }: ApplyResult): string {
  const counts = Object.entries(outcomes).filter(([, count]) => count > 0);
  const acts = counts.map(([outcome, count]) => `${grouped(count)} ${outcome}`);
  const lines = [
    `Applied: ${acts.length === 0 ? "nothing to do" : acts.join(", ")}${done === 0 ? "" : `; ${counted(done, "record")} as planned before`}.`,
    ...some(parked, (id) => `  parked ${recordLabel(id)}: "svcsync explain ${recordLabel(id)}" shows why`),
    ...some(left, ({ id, why }) => `  left ${recordLabel(id)}: ${why}`),
    ...(left.length === 0 ? [] : [`${counted(left.length, "record")} left for the next plan: not written.`]),
    ...(unfinished === 0
      ? []
      : [`${counted(unfinished, "record")} of the plan not finished: apply it again, or let the next run continue.`]),
    ...(others === 0 ? [] : [`${counted(others, "record")} not in the plan: the next run delivers them.`]),
  ];
  return textLines(lines);
}

function some<Item>(items: readonly Item[], text: (item: Item) => string): string[] {
  const more = items.length - NAMED;
  return [...items.slice(0, NAMED).map(text), ...(more > 0 ? [`  … and ${counted(more, "more record")}`] : [])];
}
