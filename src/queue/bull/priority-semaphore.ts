/** Lets at most so many deliveries run at once. Those of live changes come first, even if others asked earlier. */
export class PrioritySemaphore {
  #free: number;
  readonly #live: (() => void)[] = [];
  readonly #backfill: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Resolves when there is a place; undefined when there is one now. */
  take({ backfill }: { backfill: boolean }): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve) => (backfill ? this.#backfill : this.#live).push(resolve));
  }

  /** The place goes to the next in line. */
  leave(): void {
    const next = this.#live.shift() ?? this.#backfill.shift();
    if (next) next();
    else this.#free++;
  }
}
