/**
 * Tells a last page from one that the server cut silently: a page shorter than the longest one the server ever gave is
 * the last, and one as long as that may not be. Knows more the longer it lives.
 */
export class PageGauge {
  #longest = 0;

  /** May rows follow a page of `count` rows when `asked` were asked for? */
  mayContinue(count: number, asked: number): boolean {
    const full = count >= asked || count >= this.#longest;
    this.#longest = Math.max(this.#longest, Math.min(count, asked));
    return count > 0 && full;
  }
}
