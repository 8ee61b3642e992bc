import type { Clock } from "#model";

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
