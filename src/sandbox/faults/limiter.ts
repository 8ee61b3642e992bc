import type { Fault } from "./fault.ts";

const SECOND_MS = 1_000;

/** Counts the requests that a limiting fault allows. Other faults allow none. */
export class Limiter {
  readonly #fault: Fault;
  /** The moments of the requests that a rate limit allowed within the last second. */
  #passedAt: number[] = [];
  #span = 0;
  /** Requests allowed in this period of a quota. */
  #passed = 0;

  constructor(fault: Fault) {
    this.#fault = fault;
  }

  passes(): boolean {
    if (this.#fault.kind === "rateLimit") return this.#passesRate(this.#fault.perSecond);
    if (this.#fault.kind === "quota") return this.#passesQuota(this.#fault.requests, this.#fault.seconds);
    return false;
  }

  #passesRate(perSecond: number): boolean {
    const now = performance.now();
    this.#passedAt = this.#passedAt.filter((at) => at > now - SECOND_MS);
    if (this.#passedAt.length >= perSecond) return false;
    this.#passedAt.push(now);
    return true;
  }

  #passesQuota(requests: number, seconds: number): boolean {
    const span = Math.floor(Date.now() / (seconds * SECOND_MS));
    if (span !== this.#span) this.#passed = 0;
    this.#span = span;
    this.#passed += 1;
    return this.#passed <= requests;
  }
}

/** Whole seconds until the end of a quota's period. */
export function spanLeftSeconds(seconds: number): number {
  const spanMs = seconds * SECOND_MS;
  return Math.ceil((spanMs - (Date.now() % spanMs)) / SECOND_MS);
}
