import type { Clock } from "#model";

/** A clock that moves only when a test says so. */
export class SetClock implements Clock {
  /** Epoch milliseconds. */
  at: number;

  constructor(at: number = Date.UTC(2026, 0, 5, 8)) {
    this.at = at;
  }

  now(): number {
    return this.at;
  }

  advance(ms: number): void {
    this.at += ms;
  }
}

/** The machine's clock, which somebody may set. */
export class OffsetClock implements Clock {
  offsetMs: number;

  constructor(offsetMs = 0) {
    this.offsetMs = offsetMs;
  }

  now(): number {
    return Date.now() + this.offsetMs;
  }
}

/** A wall clock and a monotonic one that can be made to run faster than the world, together. They never go back. */
export class FastClock implements Clock {
  readonly #origin = Date.now();
  #speed = 1;
  #since = performance.now();
  #reached = 0;

  now(): number {
    return this.#origin + Math.floor(this.elapsed());
  }

  elapsed(): number {
    return this.#reached + (performance.now() - this.#since) * this.#speed;
  }

  runAt(speed: number): void {
    this.#reached = this.elapsed();
    this.#since = performance.now();
    this.#speed = speed;
  }
}
