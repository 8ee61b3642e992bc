import { sleep } from "#model";
import type { StoreUser } from "../contract/index.ts";

/**
 * How long a command pauses between two parts, in milliseconds. SQLite's busy handler retries a waiting daemon's write after 1, 2, 5, 10,
 * 15, 20 and then every 25 ms, so one of its retries falls into the pause.
 */
const REST_MS = 25;

/** A command leaves a running daemon time to write. A daemon needs no pause, because its own steps queue fairly. */
export function restOf(as: StoreUser): () => Promise<void> {
  return as === "daemon" ? () => Promise.resolve() : () => sleep(REST_MS);
}

/** How many rows a part handled, and where the next part begins. */
export interface PartDone<Place> {
  readonly count: number;
  readonly next: Place | undefined;
}

/** Runs work on many rows in parts, one step each, so that other steps can run in between. */
export class InParts {
  /** Runs a step of its own. */
  readonly step: <T>(work: () => T) => Promise<T>;

  readonly #rest;

  /** `rest` is the pause after a part that handled something. */
  constructor(step: InParts["step"], rest: () => Promise<void>) {
    this.step = step;
    this.#rest = rest;
  }

  /** Repeats the part until it finds nothing to do. Returns the total. */
  async untilNone(part: () => number): Promise<number> {
    let sum = 0;
    for (;;) {
      const count = await this.step(part);
      if (count === 0) return sum;
      sum += count;
      await this.#rest();
    }
  }

  /** Runs all parts, starting at `first`; each part returns where the next one begins. Calls `each` after each part. Returns the total. */
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
