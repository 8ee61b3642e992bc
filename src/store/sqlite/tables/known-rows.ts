import type { Database } from "better-sqlite3";
import { isAscending, type StreamName } from "#model";
import type { StoreChange } from "../../news.ts";
import { HASH_LENGTH } from "../../statements/intake.ts";
import { comparable } from "../../steps/staging.ts";

/** The rows of records as they were last read. */
export class KnownRows {
  readonly #range;

  constructor(db: Database) {
    this.#range = db
      .prepare<{ stream: string; first: string; last: string; limit: number }, string>(
        `SELECT hash || key FROM records
         WHERE stream = @stream AND key BETWEEN @first AND @last AND NOT deleted ORDER BY key LIMIT @limit`,
      )
      .pluck();
  }

  /**
   * Drops rows that the store has just as they are. Ascending keys, as of a table that is read whole, are also adjacent in the store: reading
   * their range takes less than half the time of looking up each one. Otherwise it drops none.
   */
  different(stream: StreamName, news: readonly StoreChange[]): readonly StoreChange[] {
    const keys = news.map(({ key }) => key);
    if (keys.length === 0 || !isAscending(keys)) return news;
    const stored = this.#range.all({ stream, first: keys[0]!, last: keys.at(-1)!, limit: keys.length });
    let at = 0;
    return news.filter((one) => {
      const text = comparable(one);
      for (; at < stored.length; at++) {
        if (stored[at] === text) {
          at++;
          return false;
        }
        if (stored[at]!.slice(HASH_LENGTH) >= one.key) break;
      }
      return true;
    });
  }
}
