import type { Database } from "better-sqlite3";
import type { Key, StreamName } from "#model";

/** Records that one step looks at: some ten milliseconds. */
export const PART = 5_000;
/** Which records are in a part of `@stream`. */
export const IN_PART = "stream = @stream AND key >= @from AND key < @to";
/** Comes before every key. */
export const FIRST_KEY: Key = "";
/** Comes after every key. */
const END = Buffer.alloc(0);

/** Records of one stream, by their keys. */
export interface StreamPart {
  readonly from: Key;
  readonly to: Key | Buffer;
  /** Where the next part begins, if there is one. */
  readonly next: Key | undefined;
}

/** Cuts streams into parts: a step that touched every record of a large one would hold the event loop for seconds. */
export class StreamParts {
  readonly #after;

  /** Each part has so many records, the last one fewer. */
  constructor(db: Database, size = PART) {
    this.#after = db
      .prepare<[string, string], Key>(
        `SELECT key FROM records WHERE stream = ? AND key >= ? ORDER BY key LIMIT 1 OFFSET ${size}`,
      )
      .pluck();
  }

  /** The part that begins with this key. */
  at(stream: StreamName, from: Key): StreamPart {
    const next = this.#after.get(stream, from);
    return { from, to: next ?? END, next };
  }
}
