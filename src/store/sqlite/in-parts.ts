import { sleep } from "#model";

/**
 * How long a command rests between two parts. A daemon that waits to write looks again after 1, 2, 5, 10, 15, 20 and then 25 ms (the
 * busy handler of SQLite), so one of its looks falls into the rest.
 */
const REST_MS = 25;

/** A command beside the daemon leaves it time to write; a daemon's own steps have their turn anyway. */
export function restOf(as: "daemon" | "operator"): () => Promise<void> {
  return as === "daemon" ? () => Promise.resolve() : () => sleep(REST_MS);
}

/** How much a part did, and where the next one begins. */
export interface PartDone<Place> {
  readonly count: number;
  readonly next: Place | undefined;
}

/** What touches many rows, step by step, each of a part: others have their turn in between. */
export class InParts {
  /** Takes a step of its own. */
  readonly step: <T>(work: () => T) => Promise<T>;

  readonly #rest;

  /** `rest` comes between two parts, after one that did something. */
  constructor(step: InParts["step"], rest: () => Promise<void>) {
    this.step = step;
    this.#rest = rest;
  }

  /** Until a step finds nothing to do. Returns how much all did. */
  async untilNone(part: () => number): Promise<number> {
    let sum = 0;
    for (;;) {
      const count = await this.step(part);
      if (count === 0) return sum;
      sum += count;
      await this.#rest();
    }
  }

  /** From `first` on: each step returns where the next one begins, if there is one. Returns how much all did; `each` hears of each. */
  async through<Place, Done extends PartDone<Place>>(
    first: Place,
    part: (from: Place) => Done,
    each: (done: Done) => void = () => {},
  ): Promise<number> {
    let sum = 0;
    let next: Place | undefined = first;
    while (next !== undefined) {
      const from: Place = next;
      const done = await this.step(() => part(from));
      each(done);
      sum += done.count;
      next = done.next;
      if (next !== undefined && done.count > 0) await this.#rest();
    }
    return sum;
  }
}
