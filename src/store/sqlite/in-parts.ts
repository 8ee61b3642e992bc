import { sleep } from "#model";
import type { StoreUser } from "../contract/index.ts";
import type { GroupCommit } from "./durability/group-commit.ts";
import { PartSize } from "./part-size.ts";

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

/**
 * Runs work on many rows in parts, one step each, so that other steps, reads and the network have their turn in between. How many rows a part
 * takes follows from the processor time of the last one ({@link PartSize}).
 */
export class InParts {
  readonly #commit: Pick<GroupCommit, "run">;
  readonly #rest;

  /** `rest` is the pause after a part that handled something. */
  constructor(commit: Pick<GroupCommit, "run">, rest: () => Promise<void>) {
    this.#commit = commit;
    this.#rest = rest;
  }

  /** Runs a single step. */
  step<T>(work: () => T): Promise<T> {
    return this.#commit.run(work);
  }

  /** Repeats the part, which handles up to `rows`, until it finds nothing to do. Returns the total. */
  async untilNone(part: (rows: number) => number): Promise<number> {
    const size = new PartSize();
    let sum = 0;
    for (;;) {
      const count = await this.#part(size, part, (handled, rows) => handled >= rows);
      if (count === 0) return sum;
      sum += count;
      await this.#rest();
    }
  }

  /** Runs all parts, starting at `first`; each part returns where the next one begins. Calls `each` after each part. Returns the total. */
  async through<Place, Done extends PartDone<Place>>(
    first: Place,
    part: (from: Place, rows: number) => Done,
    each: (done: Done) => void = () => {},
  ): Promise<number> {
    const size = new PartSize();
    let sum = 0;
    let next: Place | undefined = first;
    while (next !== undefined) {
      const from: Place = next;
      const done = await this.#part(
        size,
        (rows) => part(from, rows),
        (of) => of.next !== undefined,
      );
      each(done);
      sum += done.count;
      next = done.next;
      if (next !== undefined && done.count > 0) await this.#rest();
    }
    return sum;
  }

  /** Runs a step for each part of a list, and at least one. `part` prepares it outside the transaction. Returns their results. */
  async ofList<Item, Result>(
    items: readonly Item[],
    part: (some: readonly Item[], isLast: boolean) => () => Result,
  ): Promise<Result[]> {
    const size = new PartSize();
    const results: Result[] = [];
    let from = 0;
    do {
      const some = items.slice(from, from + size.rows);
      from += some.length;
      const isLast = from >= items.length;
      results.push(await this.#part(size, part(some, isLast), (_, rows) => some.length === rows));
      if (!isLast) await this.#rest();
    } while (from < items.length);
    return results;
  }

  async #part<Done>(
    size: PartSize,
    part: (rows: number) => Done,
    isFull: (done: Done, rows: number) => boolean,
  ): Promise<Done> {
    const { rows } = size;
    let tookMs = 0;
    const done = await this.#commit.run(() => part(rows), { took: (ms) => (tookMs = ms) });
    size.took(tookMs, { full: isFull(done, rows) });
    return done;
  }
}
