export { setImmediate as nextTurn } from "node:timers/promises";

/** How long reads may block the event loop, in milliseconds: short for people and probes, long compared with a read. */
const LONGEST_MS = 10;

/**
 * Keeps loops of reads from blocking the event loop: reads are synchronous, so timers and sockets would wait for the end of the loop. Once
 * reads have taken this long within one turn, the next read must wait for the next turn.
 */
export class FairTurn {
  readonly #now: () => number;
  #beganAt: number | undefined;

  /** `now` is a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Call before each read: whether it must wait for the next turn. */
  isLong(): boolean {
    if (this.#beganAt !== undefined) return this.#now() - this.#beganAt >= LONGEST_MS;
    this.#beganAt = this.#now();
    setImmediate(() => {
      this.#beganAt = undefined;
    });
    return false;
  }
}
