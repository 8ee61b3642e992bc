/** Limits how many deliveries run at once. Live changes go first, even if backfills asked earlier. */
export class PrioritySemaphore {
  #places: number;
  #taken = 0;
  #isUnlimited = false;
  readonly #live: (() => void)[] = [];
  readonly #backfill: (() => void)[] = [];

  constructor(places: number) {
    this.#places = places;
  }

  /** Takes a place. Returns undefined if one is free, else a promise that resolves when it is. */
  take({ backfill }: { backfill: boolean }): Promise<void> | undefined {
    if (this.#hasPlace()) {
      this.#taken++;
      return undefined;
    }
    return new Promise((resolve) => (backfill ? this.#backfill : this.#live).push(resolve));
  }

  /** The number of taken places. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether everyone gets a place at once, without a limit. */
  setUnlimited(isOn: boolean): void {
    this.#isUnlimited = isOn;
    this.#admit();
  }

  /** Gives the place to the next in line. */
  leave(): void {
    this.#taken--;
    this.#admit();
  }

  /** Changes the number of places. Deliveries beyond it keep running. */
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
