import type { Clock } from "#model";

/** Differences to ignore, in milliseconds: they may come from the network and do no harm. */
const TOLERANCE_MS = 250;
/** Most that the clocks of two replicas differ, in milliseconds: each is within the tolerance of the database's clock. */
export const CLOCKS_DIFFER_MS = 2 * TOLERANCE_MS;

/**
 * The database's clock: all replicas agree on the time, even if the clocks of their machines differ or are set. It follows the monotonic
 * clock between two heartbeats, and the machine's clock before the first one.
 */
export class ClusterClock implements Clock {
  readonly #own: Clock;
  /** What to add to the monotonic clock to get the database's time. */
  #aheadMs: number | undefined;

  constructor(own: Clock) {
    this.#own = own;
  }

  now(): number {
    return this.#aheadMs === undefined ? this.#own.now() : Math.round(performance.now() + this.#aheadMs);
  }

  /** Corrects the clock: the database had the time `at` at some moment in the last `tookMs`. */
  correct(at: number, tookMs: number): void {
    const aheadMs = at + tookMs / 2 - performance.now();
    const differsMs = this.#aheadMs === undefined ? Infinity : Math.abs(aheadMs - this.#aheadMs);
    if (differsMs > TOLERANCE_MS + tookMs / 2) this.#aheadMs = aheadMs;
  }
}
