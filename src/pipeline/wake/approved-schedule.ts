import type { Clock, StreamName } from "#model";
import {
  eachPage,
  type DueRecord,
  type LeftOut,
  type RecordStore,
  type RevisionStore,
  type ScheduleStore,
} from "#store";
import type { Approved } from "../approve/approved.ts";

const PAGE = 500;

/** What the relay asks: what is due, and when something is. */
export interface DueRecords extends Pick<ScheduleStore, "due" | "nextDueAt">, RevisionStore {}

/** The schedule of the approved records alone: to the relay, no others exist. */
export class ApprovedSchedule implements DueRecords {
  readonly #store: DueRecords & Pick<RecordStore, "records">;
  readonly #approved: Approved;
  readonly #clock: Clock;

  constructor(store: DueRecords & Pick<RecordStore, "records">, approved: Approved, clock: Clock) {
    this.#store = store;
    this.#approved = approved;
    this.#clock = clock;
  }

  /** Asks for more as long as other records take the places. */
  async due({ limit, streams }: Parameters<DueRecords["due"]>[0]): Promise<DueRecord[]> {
    const approvedStreams = streams.filter((stream) => this.#approved.streams.has(stream));
    for (let asked = limit; ; asked *= 2) {
      const found = await this.#store.due({ limit: asked, streams: approvedStreams });
      const approved = found.filter(({ id }) => this.#approved.mayDeliver(id));
      if (approved.length >= limit || found.length < asked) return approved.slice(0, limit);
    }
  }

  /** With `leftOut`, a claimed record counts as due now: its delivery is not done. Otherwise its claim ends at its due time. */
  async nextDueAt(streams: readonly StreamName[], leftOut?: LeftOut): Promise<number | undefined> {
    let earliest: number | undefined;
    for (const stream of streams.filter((each) => this.#approved.streams.has(each)))
      for await (const page of eachPage(this.#store, { stream, states: ["due", "claimed", "waiting"] }, PAGE))
        for (const { id, state, dueAt, error } of page) {
          if (!this.#approved.mayDeliver(id)) continue;
          const isClaimed = state === "claimed" && leftOut !== undefined;
          const at = isClaimed ? this.#clock.now() : dueAt;
          if (at === undefined || (!isClaimed && isLeftOut(at, error?.code, leftOut))) continue;
          earliest = Math.min(at, earliest ?? at);
        }
    return earliest;
  }

  revision(): Promise<number | undefined> {
    return this.#store.revision();
  }
}

function isLeftOut(at: number, code: string | undefined, leftOut: LeftOut | undefined): boolean {
  if (!leftOut) return false;
  return at > leftOut.after || leftOut.errors.some((each) => each === code);
}
