import type { Fault } from "./fault.ts";

const SECOND_MS = 1_000;

/** Counts what a fault that is a limit lets pass. Other faults let nothing pass. */
export class Limiter {
  readonly #fault: Fault;
  /** When the requests of the last second came that a rate limit let pass. */
  #passedAt: number[] = [];
  #span = 0;
  /** How many passed in this span of a quota. */
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

/** Whole seconds to the end of a quota's span. */
export function spanLeftSeconds(seconds: number): number {
  const spanMs = seconds * SECOND_MS;
  return Math.ceil((spanMs - (Date.now() % spanMs)) / SECOND_MS);
}
