import type { Database } from "better-sqlite3";
import type { Key, StreamName } from "#model";
import { sweepLost } from "../../refusals.ts";

/** Finds records that the ERP no longer shows: two complete sweeps must have missed them. */
export class Sweeps {
  readonly #begin;
  readonly #number;
  readonly #forgetSeen;
  readonly #mark;
  readonly #isKnown;
  readonly #close;
  readonly #known;
  readonly #clear;
  readonly #suspect;
  readonly #suspects;
  readonly #confirmed;

  constructor(db: Database) {
    this.#begin = db.prepare<[string, string]>(`
      INSERT INTO sweeps (stream, number, open, sequence)
      VALUES (?, 1, 1, coalesce((SELECT sequence FROM streams WHERE stream = ?), 0))
      ON CONFLICT (stream) DO UPDATE SET number = number + 1, open = 1, sequence = excluded.sequence`);
    this.#number = db.prepare<[string], number>("SELECT number FROM sweeps WHERE stream = ? AND open = 1").pluck();
    this.#forgetSeen = db.prepare<[string]>("DELETE FROM seen WHERE stream = ?");
    this.#mark = db.prepare<[string, string]>("INSERT INTO seen (stream, key) VALUES (?, ?) ON CONFLICT DO NOTHING");
    this.#isKnown = db
      .prepare<[string, string], 1>(
        `SELECT 1 FROM records r WHERE stream = ? AND key = ? AND NOT deleted
           AND NOT EXISTS (SELECT 1 FROM suspects WHERE record = r.id)`,
      )
      .pluck();
    this.#close = db.prepare<[string]>("UPDATE sweeps SET open = 0 WHERE stream = ?");
    this.#known = db.prepare<[string], number>("SELECT count(*) FROM records WHERE stream = ? AND deleted = 0").pluck();
    // A real change is a sign of life: it ends a suspicion as much as being seen does.
    this.#clear = db.prepare<[string]>(`
      DELETE FROM suspects WHERE record IN (
        SELECT r.id FROM suspects s JOIN records r ON r.id = s.record
        WHERE r.stream = ?
          AND (r.deleted OR r.sequence <> s.sequence
               OR EXISTS (SELECT 1 FROM seen WHERE seen.stream = r.stream AND seen.key = r.key)))`);
    // What was staged while the sweep ran may lie behind the place where it was already reading.
    this.#suspect = db.prepare<{ stream: string; sweep: number }>(`
      INSERT INTO suspects (record, sequence, sweep)
      SELECT r.id, r.sequence, @sweep FROM records r
      WHERE r.stream = @stream AND NOT r.deleted
        AND r.sequence <= (SELECT sequence FROM sweeps WHERE stream = @stream)
        AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.stream = r.stream AND seen.key = r.key)
      ON CONFLICT DO NOTHING`);
    this.#suspects = db
      .prepare<[string, number], number>(
        "SELECT count(*) FROM suspects s JOIN records r ON r.id = s.record WHERE r.stream = ? AND s.sweep = ?",
      )
      .pluck();
    this.#confirmed = db
      .prepare<[string, number], Key>(
        `SELECT r.key FROM suspects s JOIN records r ON r.id = s.record
         WHERE r.stream = ? AND s.sweep < ? ORDER BY r.key`,
      )
      .pluck();
  }

  begin(stream: StreamName): number {
    this.#begin.run(stream, stream);
    this.#forgetSeen.run(stream);
    return this.#number.get(stream)!;
  }

  markSeen(stream: StreamName, sweep: number, keys: readonly Key[]): void {
    this.#expectOpen(stream, sweep);
    for (const key of keys) this.#mark.run(stream, key);
  }

  unseen(stream: StreamName, keys: readonly Key[]): Key[] {
    return keys.filter((key) => this.#isKnown.get(stream, key) === undefined);
  }

  end(stream: StreamName, sweep: number): { known: number; suspects: number; confirmed: Key[] } {
    this.#expectOpen(stream, sweep);
    this.#clear.run(stream);
    this.#suspect.run({ stream, sweep });
    this.#forgetSeen.run(stream);
    this.#close.run(stream);
    return {
      known: this.#known.get(stream) ?? 0,
      suspects: this.#suspects.get(stream, sweep) ?? 0,
      confirmed: this.#confirmed.all(stream, sweep),
    };
  }

  #expectOpen(stream: StreamName, sweep: number): void {
    const open = this.#number.get(stream);
    if (open !== sweep) throw sweepLost(stream, sweep, open);
  }
}
