import type { Key } from "#model";

/** Rows that one step removes: some ten milliseconds. */
export const REMOVED_AT_ONCE = 2_000;

/** What touches many rows, step by step, each of a part: others have their turn in between. */
export class InParts {
  /** Takes a step of its own. */
  readonly step: <T>(work: () => T) => Promise<T>;

  constructor(step: InParts["step"]) {
    this.step = step;
  }

  /** Until a step finds nothing to do. Returns how much all did. */
  async untilNone(part: () => number): Promise<number> {
    let sum = 0;
    let count;
    do {
      count = await this.step(part);
      sum += count;
    } while (count > 0);
    return sum;
  }

  /** Through a stream: each step returns where the next one begins. Returns how much all did. */
  async throughStream(part: (from: Key) => { count: number; next: Key | undefined }): Promise<number> {
    let sum = 0;
    let next: Key | undefined = "";
    while (next !== undefined) {
      const from: Key = next;
      const done = await this.step(() => part(from));
      sum += done.count;
      next = done.next;
    }
    return sum;
  }
}
