import type { Clock } from "#model";

/** The service's clock: the last Date header, advanced by a monotonic clock; our own clock before the first answer. */
export class ServiceClock {
  readonly #own: Clock;
  #heard: { readonly at: number; readonly monotonicMs: number } | undefined;

  constructor(own: Clock) {
    this.#own = own;
  }

  hear(date: string | undefined): void {
    const at = Date.parse(date ?? "");
    if (!Number.isNaN(at)) this.#heard = { at, monotonicMs: performance.now() };
  }

  /** Epoch milliseconds; up to a second behind, because the header has whole seconds. */
  now(): number {
    if (this.#heard === undefined) return this.#own.now();
    return this.#heard.at + (performance.now() - this.#heard.monotonicMs);
  }
}
