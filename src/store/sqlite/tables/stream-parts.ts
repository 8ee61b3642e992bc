import type { Database } from "better-sqlite3";
import type { Key, StreamName } from "#model";

/** Records examined per read, which takes about 10 ms. */
export const PART = 5_000;
/** Records changed per step, which takes some tens of milliseconds if all of them change, because their rows are all over the file. */
const CHANGED_AT_ONCE = 1_000;
/** Condition: the row is in this part of `@stream`. */
export const IN_PART_OF_STREAM = "stream = @stream AND key >= @from AND key < @to";
/** Sorts before every key. */
export const FIRST_KEY: Key = "";
/** Sorts after every key. */
const END = Buffer.alloc(0);

/** A range of records of one stream, by key. */
export interface StreamPart {
  readonly from: Key;
  readonly to: Key | Buffer;
  /** The first key of the next part, if there is one. */
  readonly next: Key | undefined;
}

/** Divides streams into parts: a step that touched every record of a large stream would block the event loop for seconds. */
export class StreamParts {
  readonly #after;

  constructor(db: Database) {
    this.#after = db
      .prepare<[string, string], Key>(
        `SELECT key FROM records WHERE stream = ? AND key >= ? ORDER BY key LIMIT 1 OFFSET ${CHANGED_AT_ONCE}`,
      )
      .pluck();
  }

  /** The part that begins with this key. */
  at(stream: StreamName, from: Key): StreamPart {
    const next = this.#after.get(stream, from);
    return { from, to: next ?? END, next };
  }
}
