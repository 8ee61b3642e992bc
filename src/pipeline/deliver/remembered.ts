import { recordName, type RecordId } from "#model";

const LIMIT = 10_000;

/**
 * What this process knows of records whose last request has not been settled. Another one may settle it, and this one never hears:
 * so it keeps what it noted last, and forgets the rest. What is forgotten is waited for from the beginning, which costs time alone.
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
