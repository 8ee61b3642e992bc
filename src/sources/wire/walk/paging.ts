import { backoffMs, ParkError, sleep } from "#model";

/** The most empty pages in a row. Some systems search part of a table per page and find nothing on many pages, but not on so many. */
const MOST_IN_A_ROW = 100;
const PAUSES = { baseMs: 10, maxMs: 1_000 };

/** Counts empty pages that name a further one, so that an endless list costs the ERP little and ends. */
export class EmptyPages {
  readonly #list: string;
  #inARow = 0;

  constructor(list: string) {
    this.#list = list;
  }

  /**
   * Call it before requesting the next page. Pauses after an empty page, longer each time.
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
 * Distinguishes a last page from one that the server cut silently. A page shorter than the longest page so far is the last; one as
 * long may not be. The longer it lives, the more it knows.
 */
export class PageGauge {
  #longest = 0;

  /** Whether rows may follow a page of `count` rows when `asked` were requested. */
  mayContinue(count: number, asked: number): boolean {
    const full = count >= asked || count >= this.#longest;
    this.#longest = Math.max(this.#longest, Math.min(count, asked));
    return count > 0 && full;
  }
}
