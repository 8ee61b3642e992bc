import type { Database } from "better-sqlite3";
import type { Clock, Key, StreamName } from "#model";
import type { ToldDeletion } from "../../facts.ts";
import { FIRST_GUARDED } from "../../lanes.ts";
import { TOLD_BEFORE } from "../../schedule.ts";
import { PART } from "../tables/stream-parts.ts";

/** Deletions of a stream, by the time they were announced. */
interface ToldPart {
  readonly stream: StreamName;
  readonly from: number;
  readonly to: number;
}
const IN_PART = "d.stream = @stream AND told_at >= @from AND told_at < @to";

/** Whether the deletion `d` is open. A parked one is not, because it already waits for a person. */
const IS_OPEN = `d.done = 0 AND EXISTS
  (SELECT 1 FROM records r WHERE r.id = d.record AND r.state IN ('due', 'claimed', 'waiting'))`;

/** Deletions announced by a flag, a feed or a sweep, which are counted per stream before one is carried out. */
export class Deletions {
  readonly #clock: Clock;
  readonly #tell;
  readonly #toldAt;
  readonly #count;
  readonly #behind;
  readonly #done;
  readonly #forget;
  readonly #next;
  readonly #open;
  readonly #examples;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#tell = db.prepare<[number, string, number]>(`
      INSERT INTO deletions (record, stream, told_at) VALUES (?, ?, ?)
      ON CONFLICT (record) DO UPDATE SET told_at = excluded.told_at, done = 0 WHERE done = 1`);
    this.#toldAt = db.prepare<[number], number>("SELECT told_at FROM deletions WHERE record = ?").pluck();
    this.#count = db
      .prepare<ToldPart & { since: number; limit: number }, number>(
        `SELECT count(*) FROM (
           SELECT 1 FROM deletions d
           WHERE ${IN_PART} AND ((${IS_OPEN}) OR (done = 1 AND told_at > @since)) LIMIT @limit)`,
      )
      .pluck();
    // A change staged no later and still to be delivered may be a deletion too.
    this.#behind = db
      .prepare<{ stream: string; record: number; now: number; toldAt: number }, 0 | 1>(
        `WITH others AS NOT MATERIALIZED (
           SELECT EXISTS (SELECT 1 FROM deletions d WHERE d.record = r.id AND d.done = 0) AS is_told FROM records r
           WHERE r.stream = @stream AND r.id <> @record AND r.changed_at <= @toldAt AND r.backfill < ${FIRST_GUARDED}
             AND r.state IN ('claimed', 'due') AND (r.state = 'claimed' OR r.due_at <= @now))
         SELECT EXISTS (SELECT 1 FROM (SELECT is_told FROM others LIMIT ${TOLD_BEFORE}) WHERE NOT is_told)
           OR EXISTS (SELECT 1 FROM others LIMIT 1 OFFSET ${TOLD_BEFORE})`,
      )
      .pluck();
    this.#done = db.prepare<[number]>("UPDATE deletions SET done = 1 WHERE record = ?");
    this.#forget = db.prepare<[number]>("DELETE FROM deletions WHERE record = ? AND done = 0");
    this.#next = db
      .prepare<[string, number], number>(
        `SELECT told_at FROM deletions WHERE stream = ? AND told_at > ? ORDER BY told_at LIMIT 1 OFFSET ${PART}`,
      )
      .pluck();
    this.#open = db
      .prepare<ToldPart, number>(`SELECT count(*) FROM deletions d WHERE ${IN_PART} AND ${IS_OPEN}`)
      .pluck();
    this.#examples = db
      .prepare<ToldPart & { limit: number }, Key>(
        `SELECT r.key FROM deletions d CROSS JOIN records r ON r.id = d.record
         WHERE ${IN_PART} AND ${IS_OPEN} ORDER BY r.key LIMIT @limit`,
      )
      .pluck();
  }

  tell(record: number, stream: StreamName, query: { since: number; confirmedAt: number; limit: number }): ToldDeletion {
    const now = this.#clock.now();
    this.#tell.run(record, stream, now);
    const toldAt = this.#toldAt.get(record)!;
    if (toldAt <= query.confirmedAt) return { toldAt, count: 0, isCounted: true };
    return {
      toldAt,
      count: this.#count.get({ ...query, stream, from: query.confirmedAt + 1, to: Number.MAX_SAFE_INTEGER }) ?? 0,
      isCounted: this.#behind.get({ stream, record, now, toldAt }) === 0,
    };
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

  /** Notes that the deletion was carried out. */
  done(record: number): void {
    this.#done.run(record);
  }

  /** Forgets an open deletion, because the record stays. */
  forget(record: number): void {
    this.#forget.run(record);
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
