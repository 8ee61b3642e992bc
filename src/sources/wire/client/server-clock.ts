import type { Clock } from "#model";

const SECOND_MS = 1000;

/** The server's clock as its answers show it: our clock, corrected by the last `Date` header. Epoch milliseconds. */
export class ServerClock {
  readonly #clock: Clock;
  #offsetMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined until an answer carried a date. Positive if the server is ahead of us. */
  get offsetMs(): number | undefined {
    return this.#offsetMs;
  }

  now(): number {
    return this.#clock.now() + (this.#offsetMs ?? 0);
  }

  /**
   * Reads an answer's `Date` header, which is cut to the second. The estimate moves only as far as it must to lie in that second. A
   * missing or invalid header changes nothing.
   */
  observe(date: string | undefined): void {
    const at = date === undefined ? Number.NaN : Date.parse(date);
    if (Number.isNaN(at)) return;
    const least = at - this.#clock.now();
    this.#offsetMs = Math.max(least, Math.min(this.#offsetMs ?? 0, least + SECOND_MS));
  }
}
