/** Closes everything that was opened, once each and in reverse order. A close that fails does not prevent the others. */
export class Closing implements AsyncDisposable {
  readonly #closers: (() => PromiseLike<void> | void)[] = [];

  /** Registers `part` for closing and returns it. */
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
