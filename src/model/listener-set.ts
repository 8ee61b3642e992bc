interface Slot<T> {
  visitor: T | undefined;
}

/**
 * A set for listeners that come and go by the thousand. A JavaScript Set that has seen many of them moves to a new table. The old table
 * keeps the new one and all its former members alive, so what they refer to waits for a full garbage collection. Here, only empty slots
 * remain in the old table.
 */
export class ListenerSet<T> {
  readonly #slots = new Set<Slot<T>>();

  /** @returns a function that removes the visitor. */
  add(visitor: T): () => void {
    const slot: Slot<T> = { visitor };
    this.#slots.add(slot);
    return () => this.#empty(slot);
  }

  /** `leave` removes the visitor. */
  forEach(each: (visitor: T, leave: () => void) => void): void {
    for (const slot of this.#slots) if (slot.visitor !== undefined) each(slot.visitor, () => this.#empty(slot));
  }

  #empty(slot: Slot<T>): void {
    slot.visitor = undefined;
    this.#slots.delete(slot);
  }
}
