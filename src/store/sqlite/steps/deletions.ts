import type { Database } from "better-sqlite3";
import type { Clock, Key, StreamName } from "#model";
import type { ToldDeletion } from "../../facts.ts";
import { REMOVED_AT_ONCE } from "../in-parts.ts";

/** One that is parked waits for a person already. */
const IS_OPEN = `d.done = 0 AND EXISTS
  (SELECT 1 FROM records r WHERE r.id = d.record AND r.state IN ('due', 'claimed', 'waiting'))`;

/** To SQLite, no limit. */
const ALL = -1;

/** Deletions that the ERP told of, by flag, by feed or by a sweep: counted per stream before one is carried out. */
export class Deletions {
  readonly #clock: Clock;
  readonly #tell;
  readonly #toldAt;
  readonly #count;
  readonly #behind;
  readonly #done;
  readonly #forget;
  readonly #prune;
  readonly #open;
  readonly #examples;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#tell = db.prepare<[number, string, number]>(`
      INSERT INTO deletions (record, stream, told_at) VALUES (?, ?, ?)
      ON CONFLICT (record) DO UPDATE SET told_at = excluded.told_at, done = 0 WHERE done = 1`);
    this.#toldAt = db.prepare<[number], number>("SELECT told_at FROM deletions WHERE record = ?").pluck();
    this.#count = db
      .prepare<{ stream: string; since: number; confirmedAt: number; limit: number }, number>(
        `SELECT count(*) FROM (
           SELECT 1 FROM deletions d
           WHERE stream = @stream AND told_at > @confirmedAt AND ((${IS_OPEN}) OR (done = 1 AND told_at > @since)) LIMIT @limit)`,
      )
      .pluck();
    // What was staged no later and is still to be delivered may be a deletion too.
    this.#behind = db
      .prepare<{ stream: string; record: number; now: number; toldAt: number }, 0 | 1>(
        `SELECT EXISTS (
           SELECT 1 FROM records r
           WHERE r.stream = @stream AND r.id <> @record AND r.changed_at <= @toldAt
             AND r.state IN ('claimed', 'due') AND (r.state = 'claimed' OR r.due_at <= @now)
             AND NOT EXISTS (SELECT 1 FROM deletions d WHERE d.record = r.id AND d.done = 0))`,
      )
      .pluck();
    this.#done = db.prepare<[number]>("UPDATE deletions SET done = 1 WHERE record = ?");
    this.#forget = db.prepare<[number]>("DELETE FROM deletions WHERE record = ? AND done = 0");
    this.#prune = db.prepare<[number]>(`DELETE FROM deletions WHERE told_at < ? AND done = 1 LIMIT ${REMOVED_AT_ONCE}`);
    this.#open = db
      .prepare<[string], number>(`SELECT count(*) FROM deletions d WHERE stream = ? AND ${IS_OPEN}`)
      .pluck();
    this.#examples = db
      .prepare<[string, number], Key>(
        `SELECT r.key FROM deletions d JOIN records r ON r.id = d.record
         WHERE d.stream = ? AND ${IS_OPEN} ORDER BY r.key LIMIT ?`,
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
      count: this.count(stream, query),
      isCounted: this.#behind.get({ stream, record, now, toldAt }) === 0,
    };
  }

  /** Deletions told of after `confirmedAt`: the open ones, and those told of after `since` that were carried out. */
  count(stream: StreamName, query: { since: number; confirmedAt: number; limit?: number }): number {
    return this.#count.get({ limit: ALL, ...query, stream }) ?? 0;
  }

  /** Forgets some of those that were carried out and told of earlier. Returns how many; none where none is left. */
  prune(before: number): number {
    return this.#prune.run(before).changes;
  }

  /** It was carried out. */
  done(record: number): void {
    this.#done.run(record);
  }

  /** The record is to stay after all. */
  forget(record: number): void {
    this.#forget.run(record);
  }

  open(stream: StreamName, limit: number): { count: number; examples: Key[] } {
    return { count: this.#open.get(stream) ?? 0, examples: this.#examples.all(stream, limit) };
  }
}
