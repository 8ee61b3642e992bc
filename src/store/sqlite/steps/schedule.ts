import type { Database } from "better-sqlite3";
import type { Clock, RecordId, StreamName } from "#model";
import type { LeftOut } from "../../contract/schedule.ts";
import type { DueRecord } from "../../facts.ts";
import { AGED, inTurn } from "../../schedule.ts";

interface DueRow extends RecordId {
  readonly due_at: number;
}

/** What is due, and when. Every query of the relay is answered from the index `records_due` alone. */
export class Schedule {
  readonly #clock: Clock;
  readonly #due;
  readonly #first;
  readonly #firstBesides;
  readonly #undelivered;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#due = db.prepare<[string, number, number, number], DueRow>(`
      SELECT stream, key, due_at FROM records WHERE stream = ? AND backfill = ? AND due_at <= ? ORDER BY due_at, key LIMIT ?`);
    this.#first = db
      .prepare<[string, number], number>(
        `SELECT due_at FROM records WHERE stream = ? AND backfill = ? AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`,
      )
      .pluck();
    this.#firstBesides = db
      .prepare<[string, number, number, string], number>(
        `SELECT due_at FROM records WHERE stream = ? AND backfill = ? AND due_at <= ?
           AND coalesce(error ->> 'code', '') NOT IN (SELECT value FROM json_each(?)) ORDER BY due_at LIMIT 1`,
      )
      .pluck();
    this.#undelivered = db
      .prepare<[string], number | null>(
        `SELECT min(changed_at) FROM (
           SELECT id, state, changed_at, sequence FROM records
           WHERE stream = ? AND backfill = 0 AND due_at IS NOT NULL ORDER BY due_at LIMIT ${AGED}) r
         WHERE (r.state = 'due' OR NOT EXISTS (SELECT 1 FROM waits WHERE child = r.id))
           AND NOT EXISTS (SELECT 1 FROM written w WHERE w.record = r.id AND w.sequence = r.sequence)`,
      )
      .pluck();
  }

  due(query: { limit: number; streams: readonly StreamName[] }): DueRecord[] {
    const live = this.#dueOf(query, false);
    return [...live, ...this.#dueOf({ ...query, limit: query.limit - live.length }, true)];
  }

  #dueOf({ limit, streams }: { limit: number; streams: readonly StreamName[] }, backfill: boolean): DueRecord[] {
    if (limit <= 0) return [];
    const now = this.#clock.now();
    const rows = streams.flatMap((stream) => this.#due.all(stream, backfill ? 1 : 0, now, limit));
    return inTurn(rows, limit, backfill);
  }

  undeliveredSince(stream: StreamName): number | undefined {
    return this.#undelivered.get(stream) ?? undefined;
  }

  nextDueAt(streams: readonly StreamName[], leftOut?: LeftOut): number | undefined {
    const codes = JSON.stringify(leftOut?.errors);
    const first = (stream: StreamName, backfill: number) =>
      leftOut === undefined
        ? this.#first.get(stream, backfill)
        : this.#firstBesides.get(stream, backfill, leftOut.after, codes);
    const firsts = streams.flatMap((stream) => [first(stream, 0), first(stream, 1)]).filter((at) => at !== undefined);
    return firsts.length === 0 ? undefined : Math.min(...firsts);
  }
}
