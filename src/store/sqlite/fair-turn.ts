export { setImmediate as nextTurn } from "node:timers/promises";

/** Short beside what a person or a probe notices, long beside a read. */
const LONGEST_MS = 10;

/**
 * Reads are answered at once, so a loop over them would hold up timers and sockets until it ends. Once reads have followed
 * each other for this long within one turn of the event loop, the next one waits for the turn after it.
 */
export class FairTurn {
  readonly #now: () => number;
  #beganAt: number | undefined;

  /** `now` is a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Asked before each read. */
  isLong(): boolean {
    if (this.#beganAt !== undefined) return this.#now() - this.#beganAt >= LONGEST_MS;
    this.#beganAt = this.#now();
    setImmediate(() => {
      this.#beganAt = undefined;
    });
    return false;
  }
}
