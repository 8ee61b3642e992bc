interface Slot<T> {
  visitor: T | undefined;
}

/**
 * A set for what comes and goes by the thousand. A Set that has seen many moves to a new table, and the old one keeps the new
 * one alive and all that it held itself: whatever these refer to then outlives the collections of young objects and waits for
 * a full one. In the table of this set only emptied slots stay behind.
 */
export class ListenerSet<T> {
  readonly #slots = new Set<Slot<T>>();

  /** @returns what takes the visitor out again. */
  add(visitor: T): () => void {
    const slot: Slot<T> = { visitor };
    this.#slots.add(slot);
    return () => this.#empty(slot);
  }

  /** `leave` takes the visitor out. */
  forEach(each: (visitor: T, leave: () => void) => void): void {
    for (const slot of this.#slots) if (slot.visitor !== undefined) each(slot.visitor, () => this.#empty(slot));
  }

  #empty(slot: Slot<T>): void {
    slot.visitor = undefined;
    this.#slots.delete(slot);
  }
}
