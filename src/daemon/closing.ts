/** Closes what was opened, in reverse order, each once; a close that fails does not keep the others open. */
export class Closing implements AsyncDisposable {
  readonly #closers: (() => PromiseLike<void> | void)[] = [];

  /** Remembers `part` and gives it back. */
  use<Part extends AsyncDisposable | Disposable>(part: Part): Part {
    this.#closers.push(() => (Symbol.asyncDispose in part ? part[Symbol.asyncDispose]() : part[Symbol.dispose]()));
    return part;
  }

  defer(close: () => PromiseLike<void> | void): void {
    this.#closers.push(close);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close();
      } catch (thrown) {
        failures.push(thrown);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, "some parts did not close");
  }
}
