import type { Database } from "better-sqlite3";
import { z } from "zod";
import type { Clock } from "#model";
import type { Note } from "../../note.ts";
import type { InParts } from "../in-parts.ts";
import type { LatestMoment } from "../tables/latest-moment.ts";
import type { Notes } from "../tables/notes.ts";

/** A position in the index `records_due`. */
const place = z.object({ stream: z.string(), backfill: z.number(), dueAt: z.number(), key: z.string() });
const START = { stream: "", backfill: 0, dueAt: 0, key: "" };

const open = z.object({ byMs: z.number(), latest: z.number(), after: place });
/** How far due times have followed a clock that was set back, and the clock's time before. Absent when they are done. */
const setBackNote: Note<z.infer<typeof open>> = { name: "clock/setBack", schema: open };

interface DueRow extends z.infer<typeof place> {
  readonly id: number;
}

/**
 * Moves due times and leases after the clock was set back, in the order of `records_due`. Moved records, and most of those put off
 * meanwhile by the current clock, sort before the position reached. Those that sort after it may come early.
 */
export class SqliteSetBack {
  readonly #clock: Clock;
  readonly #notes: Notes;
  readonly #moment: LatestMoment;
  readonly #due;
  readonly #move;
  readonly #moveLeases;

  constructor(db: Database, clock: Clock, notes: Notes, moment: LatestMoment) {
    this.#clock = clock;
    this.#notes = notes;
    this.#moment = moment;
    this.#due = db.prepare<[z.infer<typeof place> & { rows: number }], DueRow>(`
      SELECT id, stream, backfill, due_at AS dueAt, key FROM records
      WHERE due_at IS NOT NULL AND (stream, backfill, due_at, key) > (@stream, @backfill, @dueAt, @key)
      ORDER BY stream, backfill, due_at, key LIMIT @rows`);
    this.#move = db.prepare<[number, number]>(
      "UPDATE records SET due_at = due_at - ? WHERE id = ? AND state <> 'claimed'",
    );
    this.#moveLeases = db.prepare<[number]>(`
      UPDATE records SET due_at = due_at - ? WHERE stream IN (SELECT stream FROM streams) AND state = 'claimed'`);
  }

  /**
   * Moves the leases, or finds an interrupted move if the clock has not yet caught up with the time before it. Returns by how much to move
   * the rest.
   */
  begin(byMs: number): number {
    const known = this.#notes.note(setBackNote);
    if (known !== undefined && this.#clock.now() < known.latest) return known.byMs;
    this.#moveLeases.run(byMs);
    this.#notes.save(setBackNote, { byMs, latest: this.#moment.ms, after: START });
    return byMs;
  }

  /** Moves the next part, of so many records at most. Returns how many it looked at: 0 once it has moved the stored time too. */
  next(limit: number): number {
    const known = this.#notes.note(setBackNote);
    if (known === undefined) return 0;
    const { byMs, latest, after } = known;
    const rows = this.#due.all({ ...after, rows: limit });
    for (const { id } of rows) this.#move.run(byMs, id);
    const last = rows.at(-1);
    this.#notes.save(setBackNote, last && { byMs, latest, after: last });
    if (last === undefined) this.#moment.begin(latest - byMs);
    return rows.length;
  }
}

/** Moves due times after the clock was set back by `byMs`. First completes an interrupted call of this or an earlier process. */
export async function followClock(setBack: SqliteSetBack, parts: InParts, byMs: number): Promise<void> {
  for (let leftMs = byMs; leftMs > 0;) {
    leftMs -= await parts.step(() => setBack.begin(leftMs));
    await parts.untilNone((rows) => setBack.next(rows));
  }
}
