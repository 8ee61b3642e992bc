import { recordName, type RecordId } from "#model";

const LIMIT = 10_000;

/**
 * What this process knows about records whose last request is unsettled. Another process may settle a request without this one
 * hearing of it, so only the latest entries are kept. For a forgotten record the wait starts over, which costs only time.
 */
export class Remembered<Known> {
  /** By record, the latest last. */
  readonly #known = new Map<string, Known>();

  get(id: RecordId): Known | undefined {
    return this.#known.get(recordName(id));
  }

  note<Noted extends Known>(id: RecordId, known: Noted): Noted {
    this.forget(id);
    this.#known.set(recordName(id), known);
    const [oldest] = this.#known.size > LIMIT ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    return known;
  }

  forget(id: RecordId): void {
    this.#known.delete(recordName(id));
  }
}
