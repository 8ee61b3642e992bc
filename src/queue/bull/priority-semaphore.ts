/** Lets at most so many deliveries run at once. Those of live changes come first, even if others asked earlier. */
export class PrioritySemaphore {
  #places: number;
  #taken = 0;
  #isUnlimited = false;
  readonly #live: (() => void)[] = [];
  readonly #backfill: (() => void)[] = [];

  constructor(places: number) {
    this.#places = places;
  }

  /** Resolves when there is a place; undefined when there is one now. */
  take({ backfill }: { backfill: boolean }): Promise<void> | undefined {
    if (this.#hasPlace()) {
      this.#taken++;
      return undefined;
    }
    return new Promise((resolve) => (backfill ? this.#backfill : this.#live).push(resolve));
  }

  /** Places that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether all get a place at once, however many there are. */
  setUnlimited(isOn: boolean): void {
    this.#isUnlimited = isOn;
    this.#admit();
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

  #hasPlace(): boolean {
    return this.#isUnlimited || this.#taken < this.#places;
  }

  #admit(): void {
    while (this.#hasPlace()) {
      const next = this.#live.shift() ?? this.#backfill.shift();
      if (next === undefined) return;
      this.#taken++;
      next();
    }
  }
}
