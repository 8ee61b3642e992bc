/** How much processor time a part should take, in milliseconds: people and probes then wait at most for a part and the steps beside it. */
const WANTED_MS = 8;
/** Rows of the first part, which nothing was measured before. */
const FIRST = 200;
/** With fewer rows, a transaction would take longer for itself than for them. */
const FEWEST = 100;
/** However quick the last part was, the rows of the next one may be slow: those of a large store are all over its file. */
const MOST = 500;

/** How many rows the next part of long work takes, by the processor time of the last one. */
export class PartSize {
  #rows = FIRST;

  get rows(): number {
    return this.#rows;
  }

  /** `tookMs`: the whole transaction. A part that was not `full` may shrink the next one, but says nothing of how many rows would fit. */
  took(tookMs: number, { full }: { readonly full: boolean }): void {
    const fitting = (this.#rows * WANTED_MS) / Math.max(tookMs, 1);
    const most = full ? Math.min(2 * this.#rows, MOST) : this.#rows;
    this.#rows = Math.round(Math.max(FEWEST, Math.min(fitting, most)));
  }
}
