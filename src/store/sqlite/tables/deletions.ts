import type { Database } from "better-sqlite3";
import type { Key, StreamName } from "#model";
import { IS_OPEN_DELETION } from "../../statements/deletions.ts";
import { PART } from "./stream-parts.ts";

/** Deletions of a stream, by the time they were announced. */
interface ToldPart {
  readonly stream: StreamName;
  readonly from: number;
  readonly to: number;
}
const IN_PART = "d.stream = @stream AND told_at >= @from AND told_at < @to";

/** Deletions announced by a flag, a feed or a sweep, which are counted per stream before one is carried out. */
export class Deletions {
  readonly #count;
  readonly #next;
  readonly #open;
  readonly #examples;

  constructor(db: Database) {
    this.#count = db
      .prepare<ToldPart & { since: number; limit: number }, number>(
        `SELECT count(*) FROM (
           SELECT 1 FROM deletions d
           WHERE ${IN_PART} AND ((${IS_OPEN_DELETION}) OR (done = 1 AND told_at > @since)) LIMIT @limit)`,
      )
      .pluck();
    this.#next = db
      .prepare<[string, number], number>(
        `SELECT told_at FROM deletions WHERE stream = ? AND told_at > ? ORDER BY told_at LIMIT 1 OFFSET ${PART}`,
      )
      .pluck();
    this.#open = db
      .prepare<ToldPart, number>(`SELECT count(*) FROM deletions d WHERE ${IN_PART} AND ${IS_OPEN_DELETION}`)
      .pluck();
    this.#examples = db
      .prepare<ToldPart & { limit: number }, Key>(
        `SELECT r.key FROM deletions d CROSS JOIN records r ON r.id = d.record
         WHERE ${IN_PART} AND ${IS_OPEN_DELETION} ORDER BY r.key LIMIT @limit`,
      )
      .pluck();
  }

  /**
   * Counts the deletions announced after `confirmedAt` that are open, or that were announced after `since` and carried out. Yields so that
   * other work can run.
   */
  *counting(stream: StreamName, { since, confirmedAt }: { since: number; confirmedAt: number }) {
    let count = 0;
    for (const part of this.#partsOf(stream, confirmedAt + 1)) {
      count += this.#count.get({ ...part, since, limit: Number.MAX_SAFE_INTEGER }) ?? 0;
      yield;
    }
    return count;
  }

  /** Counts open deletions and finds the first keys. Yields so that other work can run. */
  *findingOpen(stream: StreamName, limit: number) {
    let count = 0;
    let examples: Key[] = [];
    for (const part of this.#partsOf(stream, 0)) {
      count += this.#open.get(part) ?? 0;
      const keys = [...examples, ...this.#examples.all({ ...part, limit })];
      examples = keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))).slice(0, limit);
      yield;
    }
    return { count, examples };
  }

  /** Divides the deletions announced from `first` on into parts, by time. Each part's end is determined when it is requested. */
  *#partsOf(stream: StreamName, first: number): Generator<ToldPart> {
    for (let from: number | undefined = first; from !== undefined;) {
      const next = this.#next.get(stream, from);
      yield { stream, from, to: next ?? Number.MAX_SAFE_INTEGER };
      from = next;
    }
  }
}
