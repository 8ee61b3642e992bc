import { backoffMs, ParkError, sleep } from "#model";

/** Some systems look through a part of a table per page and find nothing in many of them. Not in so many. */
const MOST_IN_A_ROW = 100;
const PAUSES = { baseMs: 10, maxMs: 1_000 };

/** Counts pages without rows that name a further one, so that a list without an end costs the ERP little and ends. */
export class EmptyPages {
  readonly #list: string;
  #inARow = 0;

  constructor(list: string) {
    this.#list = list;
  }

  /**
   * To be called before the next page is asked for: pauses after an empty one, longer each time.
   * @throws {ParkError} E_SOURCE_PAGING after a hundred of them in a row; the abort reason.
   */
  async pass(rows: number, signal: AbortSignal): Promise<void> {
    this.#inARow = rows === 0 ? this.#inARow + 1 : 0;
    if (this.#inARow === 0) return;
    if (this.#inARow >= MOST_IN_A_ROW)
      throw new ParkError(
        "E_SOURCE_PAGING",
        `${this.#list}: ${MOST_IN_A_ROW} pages in a row had no rows, but each named a further one`,
      );
    await sleep(backoffMs(PAUSES, this.#inARow), signal);
    signal.throwIfAborted();
  }
}

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
