import type { Database } from "better-sqlite3";
import type { Clock, RecordId, StreamName } from "#model";
import type { LeftOut } from "../../contract/schedule.ts";
import type { DueRecord } from "../../facts.ts";
import { AGED, inTurn } from "../../schedule.ts";
import { PART } from "../tables/stream-parts.ts";

interface DueRow extends RecordId {
  readonly due_at: number;
}

/** Records due until a moment, starting after a place in the index `records_due`. */
interface DueAfter {
  readonly stream: StreamName;
  readonly backfill: number;
  readonly upTo: number;
  readonly dueAt: number;
  readonly key: string;
}
const DUE_AFTER = `
  FROM records WHERE stream = @stream AND backfill = @backfill AND due_at <= @upTo AND (due_at, key) > (@dueAt, @key)
  ORDER BY due_at, key LIMIT`;

/** What is due, and when. Every query of the relay is answered from the index `records_due` alone. */
export class Schedule {
  readonly #clock: Clock;
  readonly #due;
  readonly #first;
  readonly #firstBesides;
  readonly #endOfPart;
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
      .prepare<DueAfter & { errors: string }, number>(
        `SELECT due_at FROM (SELECT due_at, error ${DUE_AFTER} ${PART})
         WHERE coalesce(error ->> 'code', '') NOT IN (SELECT value FROM json_each(@errors)) LIMIT 1`,
      )
      .pluck();
    this.#endOfPart = db.prepare<DueAfter, Pick<DueAfter, "dueAt" | "key">>(`
      SELECT due_at AS dueAt, key ${DUE_AFTER} 1 OFFSET ${PART - 1}`);
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

  /** Finds it by and by, and yields where others may have their turn: what is left out may be very much. */
  *findingNextDueAt(streams: readonly StreamName[], leftOut?: LeftOut): Generator<undefined, number | undefined> {
    const firsts: number[] = [];
    for (const stream of streams)
      for (const backfill of [0, 1]) {
        const first =
          leftOut === undefined
            ? this.#first.get(stream, backfill)
            : yield* this.#findingFirstBesides({ stream, backfill, upTo: leftOut.after }, leftOut);
        if (first !== undefined) firsts.push(first);
      }
    return firsts.length === 0 ? undefined : Math.min(...firsts);
  }

  *#findingFirstBesides(
    of: Omit<DueAfter, "dueAt" | "key">,
    leftOut: LeftOut,
  ): Generator<undefined, number | undefined> {
    const errors = JSON.stringify(leftOut.errors);
    for (let after: DueAfter | undefined = { ...of, dueAt: 0, key: "" }; after !== undefined;) {
      const first = this.#firstBesides.get({ ...after, errors });
      if (first !== undefined) return first;
      const end = this.#endOfPart.get(after);
      if (end !== undefined) yield;
      after = end && { ...of, ...end };
    }
    return undefined;
  }
}
