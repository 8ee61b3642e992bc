import type { Clock } from "#model";
import { readGroups, type ErrorGroup } from "#operator";
import type { StreamStatus } from "#pipeline";
import type { GroupStore } from "#store";

/** The states whose records are grouped: a status that is given to {@link Causes.of} counts them. */
export const causeStates = ["parked", "uncertain"] as const;
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
    const counted = streams.map(({ counts }) => causeStates.map((state) => counts[state] ?? 0));
    const counts = JSON.stringify(counted);
    const total = counted.flat().reduce((sum, count) => sum + count, 0);
    const now = this.#clock.now();
    const last = this.#read;
    const age = last === undefined ? Number.POSITIVE_INFINITY : Math.abs(now - last.at);
    const isFresh = last?.counts === counts ? age < FRESH_MS : total > MANY && age < MANY_FRESH_MS;
    if (last !== undefined && isFresh) return last.groups;
    const groups = await readGroups(
      this.#store,
      streams.map(({ name }) => name),
      causeStates,
    );
    this.#read = { at: now, counts, groups };
    return this.#read.groups;
  }
}
