/** Keeps those apart who look into the store and those who put another one in its place. */
export class Door {
  #last: Promise<unknown> = Promise.resolve();
  readonly #replaced: (() => void)[] = [];

  /** Does it while the store stays what it is. */
  with<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Puts another store in its place, or may do so. */
  replace(work: () => Promise<void>): Promise<void> {
    return this.with(async () => {
      for (const tell of this.#replaced) tell();
      await work();
    });
  }

  onReplace(tell: () => void): void {
    this.#replaced.push(tell);
  }
}
