/** How many others may overtake one that gives way, before it gets its turn all the same. */
const OVERTAKEN_AT_MOST = 9;

/**
 * Who waits, first in, first out. Requests that give way (`behind`) come after all others, except that after nine others one of them has its
 * turn: a long first load must not keep finished work from the ERP.
 */
export class WaitingLine<Waiting> {
  readonly #front: Waiting[] = [];
  readonly #behind: Waiting[] = [];
  #overtaken = 0;

  get length(): number {
    return this.#front.length + this.#behind.length;
  }

  add(
    waiting: Waiting,
    { behind = false, first = false }: { readonly behind?: boolean; readonly first?: boolean },
  ): void {
    const line = behind ? this.#behind : this.#front;
    if (first) line.unshift(waiting);
    else line.push(waiting);
  }

  /** Takes out the next one. */
  next(): Waiting | undefined {
    if (this.#behind.length === 0) return this.#front.shift();
    if (this.#front.length > 0 && this.#overtaken < OVERTAKEN_AT_MOST) {
      this.#overtaken++;
      return this.#front.shift();
    }
    this.#overtaken = 0;
    return this.#behind.shift();
  }

  /** Takes one out that no longer waits. */
  leave(waiting: Waiting): void {
    for (const line of [this.#front, this.#behind]) {
      const at = line.indexOf(waiting);
      if (at >= 0) line.splice(at, 1);
    }
  }

  /** Takes out all. */
  clear(): Waiting[] {
    return [...this.#front.splice(0), ...this.#behind.splice(0)];
  }
}
