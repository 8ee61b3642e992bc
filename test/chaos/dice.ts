/** Seeded chance: the same seed draws the same things. mulberry32. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Dice of their own for one actor, so that what one draws does not move the others. */
  fork(name: string): Dice {
    let hash = this.#state;
    for (const char of name) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
    return new Dice(hash);
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number, both ends included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.next() * choices.length)];
    if (choice === undefined) throw new Error("nothing to pick from");
    return choice;
  }

  /** Fisher and Yates. */
  shuffled<T>(choices: readonly T[]): T[] {
    const shuffled = [...choices];
    for (let at = shuffled.length - 1; at > 0; at--) {
      const other = this.between(0, at);
      [shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!];
    }
    return shuffled;
  }

  /** Picks by weight. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    return choices[choices.length - 1]![1];
  }
}
