import type { Database } from "better-sqlite3";
import type { Key, StreamName } from "#model";

/** Records examined per read, which takes about 10 ms. */
export const PART = 5_000;
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
      .prepare<[string, string, number], Key>(
        "SELECT key FROM records WHERE stream = ? AND key >= ? ORDER BY key LIMIT 1 OFFSET ?",
      )
      .pluck();
  }

  /** The part that begins with this key and has so many rows. */
  at(stream: StreamName, from: Key, rows: number): StreamPart {
    const next = this.#after.get(stream, from, rows);
    return { from, to: next ?? END, next };
  }
}
