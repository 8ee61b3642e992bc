import type { Clock } from "#model";

/** Smaller differences may come from the network, and do no harm. */
const TOLERANCE_MS = 250;

/** The machine's clock, corrected to that of the database: all replicas agree on the time, even if their machines do not. */
export class ReplicaClock implements Clock {
  readonly #own: Clock;
  #aheadMs = 0;

  constructor(own: Clock) {
    this.#own = own;
  }

  now(): number {
    return this.#own.now() + this.#aheadMs;
  }

  /** Corrects the clock: the database had this time at some moment in the last `tookMs`. */
  hear(at: number, tookMs: number): void {
    const differsMs = at + tookMs / 2 - this.now();
    if (Math.abs(differsMs) > TOLERANCE_MS + tookMs / 2) this.#aheadMs += Math.round(differsMs);
  }
}
