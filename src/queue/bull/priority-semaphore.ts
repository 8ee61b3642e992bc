/** Lets at most so many deliveries run at once. Those of live changes come first, even if others asked earlier. */
export class PrioritySemaphore {
  #places: number;
  #taken = 0;
  readonly #live: (() => void)[] = [];
  readonly #backfill: (() => void)[] = [];

  constructor(places: number) {
    this.#places = places;
  }

  /** Resolves when there is a place; undefined when there is one now. */
  take({ backfill }: { backfill: boolean }): Promise<void> | undefined {
    if (this.#taken < this.#places) {
      this.#taken++;
      return undefined;
    }
    return new Promise((resolve) => (backfill ? this.#backfill : this.#live).push(resolve));
  }

  /** The place goes to the next in line. */
  leave(): void {
    this.#taken--;
    this.#admit();
  }

  /** So many places from now on. What runs above them is left alone. */
  resize(places: number): void {
    this.#places = places;
    this.#admit();
  }

  #admit(): void {
    while (this.#taken < this.#places) {
      const next = this.#live.shift() ?? this.#backfill.shift();
      if (next === undefined) return;
      this.#taken++;
      next();
    }
  }
}
