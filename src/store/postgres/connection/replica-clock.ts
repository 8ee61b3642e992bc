import type { Clock } from "#model";

/** Smaller differences may come from the network, and do no harm. */
const TOLERANCE_MS = 250;
/** The clocks of two replicas differ by less: each differs from the database's by the tolerance at most. */
export const CLOCKS_DIFFER_MS = 2 * TOLERANCE_MS;

/**
 * The clock of the database: all replicas agree on the time, even if the clocks of their machines differ or are set. Between two
 * heartbeats it runs by the monotonic clock; before the first one it is the machine's.
 */
export class ReplicaClock implements Clock {
  readonly #own: Clock;
  /** From the monotonic clock to the database's. */
  #aheadMs: number | undefined;

  constructor(own: Clock) {
    this.#own = own;
  }

  now(): number {
    return this.#aheadMs === undefined ? this.#own.now() : Math.round(performance.now() + this.#aheadMs);
  }

  /** Corrects the clock: the database had this time at some moment in the last `tookMs`. */
  hear(at: number, tookMs: number): void {
    const aheadMs = at + tookMs / 2 - performance.now();
    const differsMs = this.#aheadMs === undefined ? Infinity : Math.abs(aheadMs - this.#aheadMs);
    if (differsMs > TOLERANCE_MS + tookMs / 2) this.#aheadMs = aheadMs;
  }
}
