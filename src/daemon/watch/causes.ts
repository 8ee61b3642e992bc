import type { Clock } from "#model";
import { ErrorGroups, type ErrorGroup } from "#operator";
import type { StreamStatus } from "#pipeline";
import type { GroupStore } from "#store";

const STATES = ["parked", "uncertain"] as const;
const PAGE = 1_000;
/** Causes may change while their number does not. */
const FRESH_MS = 5 * 60_000;
/** So many records are grouped once a minute at most, however fast they come. */
const MANY = 5_000;
const MANY_FRESH_MS = 60_000;

/** Parked and uncertain records by cause, read again only when there may be news: a storm is counted, not read again and again. */
export class Causes {
  readonly #store: Pick<GroupStore, "held">;
  readonly #clock: Clock;
  #read: { readonly at: number; readonly counts: string; groups: ErrorGroup[] } | undefined;

  constructor(store: Pick<GroupStore, "held">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async of(streams: readonly StreamStatus[]): Promise<readonly ErrorGroup[]> {
    const counted = streams.map(({ counts }) => STATES.map((state) => counts[state] ?? 0));
    const counts = JSON.stringify(counted);
    const total = counted.flat().reduce((sum, count) => sum + count, 0);
    const now = this.#clock.now();
    const last = this.#read;
    const age = last === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - last.at);
    const isFresh = last?.counts === counts ? age < FRESH_MS : total > MANY && age < MANY_FRESH_MS;
    if (last !== undefined && isFresh) return last.groups;
    const groups = new ErrorGroups();
    for (const { name, counts: present } of streams)
      for (const state of STATES)
        if ((present[state] ?? 0) > 0)
          for await (const page of this.#pages(name, state)) page.forEach((each) => groups.add(each));
    this.#read = { at: now, counts, groups: groups.list() };
    return this.#read.groups;
  }

  async *#pages(stream: string, state: (typeof STATES)[number]) {
    let after: string | undefined;
    for (;;) {
      const page = await this.#store.held({ stream, state, ...(after === undefined ? {} : { after }), limit: PAGE });
      yield page;
      after = page.at(-1)?.id.key;
      if (page.length < PAGE || after === undefined) return;
    }
  }
}
