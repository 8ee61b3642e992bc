import type { Clock } from "#model";

/** A difference below this may be the way to the database and back, and does no harm. */
const TOLERANCE_MS = 250;

/**
 * The clock by which replicas make times: the machine's, put right by that of the database. So times of all replicas can be
 * compared, whatever their own clocks say.
 */
export class ReplicaClock implements Clock {
  readonly #own: Clock;
  #aheadMs = 0;

  constructor(own: Clock) {
    this.#own = own;
  }

  now(): number {
    return this.#own.now() + this.#aheadMs;
  }

  /** The database had this time within the last `tookMs`. */
  hear(at: number, tookMs: number): void {
    const differsMs = at + tookMs / 2 - this.now();
    if (Math.abs(differsMs) > TOLERANCE_MS + tookMs / 2) this.#aheadMs += Math.round(differsMs);
  }
}
