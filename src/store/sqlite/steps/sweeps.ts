import type { Database } from "better-sqlite3";
import type { Key, StreamName } from "#model";
import type { SweepStore } from "../../contract/sweeps.ts";
import { sweepLost } from "../../refusals.ts";
import type { StepDriver } from "../../steps/step.ts";
import { endSweepStep } from "../../steps/sweeping.ts";
import type { InParts, PartDone } from "../in-parts.ts";
import { FIRST_KEY, IN_PART_OF_STREAM, StreamParts, type StreamPart } from "../tables/stream-parts.ts";

/** Keys looked up per read, which takes a few milliseconds. */
const KEYS_AT_ONCE = 1_000;

/**
 * Finds records that the ERP no longer has: two complete sweeps must have missed them. Work that grows with the number of records runs in
 * parts, one step each. If its end is interrupted, a sweep stays open and leaves some suspects, all of which it did miss.
 */
export class Sweeps {
  readonly #parts: StreamParts;
  readonly #begin;
  readonly #number;
  readonly #forgetSeen;
  readonly #isKnown;
  readonly #clear;
  readonly #suspect;
  readonly #suspects;
  readonly #confirmed;

  constructor(db: Database) {
    this.#parts = new StreamParts(db);
    this.#begin = db.prepare<[string, string]>(`
      INSERT INTO sweeps (stream, number, open, sequence)
      VALUES (?, 1, 1, coalesce((SELECT sequence FROM streams WHERE stream = ?), 0))
      ON CONFLICT (stream) DO UPDATE SET number = number + 1, open = 1, sequence = excluded.sequence`);
    this.#number = db.prepare<[string], number>("SELECT number FROM sweeps WHERE stream = ? AND open = 1").pluck();
    this.#forgetSeen = db.prepare<{ stream: string; sweep: number; rows: number }>(`
      DELETE FROM seen WHERE stream = @stream AND (SELECT number FROM sweeps WHERE stream = @stream) = @sweep LIMIT @rows`);
    this.#isKnown = db
      .prepare<[string, string], 1>(
        `SELECT 1 FROM records r WHERE stream = ? AND key = ? AND NOT deleted
           AND NOT EXISTS (SELECT 1 FROM suspects WHERE record = r.id)`,
      )
      .pluck();
    // A real change proves that a record exists: it clears a suspect just like being seen.
    this.#clear = db.prepare<StreamPart & { stream: string }>(`
      DELETE FROM suspects WHERE record IN (
        SELECT r.id FROM records r CROSS JOIN suspects s ON s.record = r.id
        WHERE ${IN_PART_OF_STREAM}
          AND (r.deleted OR r.sequence <> s.sequence
               OR EXISTS (SELECT 1 FROM seen WHERE seen.stream = r.stream AND seen.key = r.key)))`);
    // Records staged during the sweep are exempt: they may lie before the place where it was already reading.
    this.#suspect = db.prepare<StreamPart & { stream: string; sweep: number }>(`
      INSERT INTO suspects (record, sequence, sweep)
      SELECT r.id, r.sequence, @sweep FROM records r
      WHERE ${IN_PART_OF_STREAM} AND NOT r.deleted
        AND r.sequence <= (SELECT sequence FROM sweeps WHERE stream = @stream)
        AND NOT EXISTS (SELECT 1 FROM seen WHERE seen.stream = r.stream AND seen.key = r.key)
      ON CONFLICT DO NOTHING`);
    this.#suspects = db
      .prepare<StreamPart & { stream: string; sweep: number }, number>(
        `SELECT count(*) FROM records r CROSS JOIN suspects s ON s.record = r.id WHERE ${IN_PART_OF_STREAM} AND s.sweep = @sweep`,
      )
      .pluck();
    this.#confirmed = db
      .prepare<StreamPart & { stream: string; sweep: number }, Key>(
        `SELECT r.key FROM records r CROSS JOIN suspects s ON s.record = r.id
         WHERE ${IN_PART_OF_STREAM} AND s.sweep < @sweep ORDER BY r.key`,
      )
      .pluck();
  }

  begin(stream: StreamName): number {
    this.#begin.run(stream, stream);
    return this.#number.get(stream)!;
  }

  /** Finds unseen keys in parts. Yields so that other work can run. */
  *findingUnseen(stream: StreamName, keys: readonly Key[]): Generator<undefined, Key[]> {
    const unseen: Key[] = [];
    for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
      const part = keys.slice(from, from + KEYS_AT_ONCE);
      unseen.push(...part.filter((key) => this.#isKnown.get(stream, key) === undefined));
      yield;
    }
    return unseen;
  }

  /**
   * Suspects, clears and confirms records in the part of the stream that begins with `from`. Returns the number of suspects and the
   * confirmed keys.
   */
  compare(
    stream: StreamName,
    sweep: number,
    { from, rows }: { from: Key; rows: number },
  ): PartDone<Key> & { confirmed: Key[] } {
    this.#expectOpen(stream, sweep);
    const part = this.#parts.at(stream, from, rows);
    const values = { ...part, stream, sweep };
    this.#clear.run(values);
    this.#suspect.run(values);
    return { count: this.#suspects.get(values) ?? 0, confirmed: this.#confirmed.all(values), next: part.next };
  }

  /** Deletes a part of the marks and returns how many. Once another sweep has begun, the marks belong to it and none are deleted. */
  forgetSeen(stream: StreamName, sweep: number, rows: number): number {
    return this.#forgetSeen.run({ stream, sweep, rows }).changes;
  }

  #expectOpen(stream: StreamName, sweep: number): void {
    const open = this.#number.get(stream);
    if (open !== sweep) throw sweepLost(stream, sweep, open);
  }
}

/** Begins a sweep without the marks of an earlier one. */
export async function beginSweep(sweeps: Sweeps, parts: InParts, stream: StreamName): Promise<number> {
  const sweep = await parts.step(() => sweeps.begin(stream));
  await parts.untilNone((rows) => sweeps.forgetSeen(stream, sweep, rows));
  return sweep;
}

/** Ends a sweep that has marked all keys. */
export async function endSweep(
  sweeps: Sweeps,
  parts: InParts,
  driver: StepDriver,
  ...[stream, sweep]: Parameters<SweepStore["endSweep"]>
) {
  const confirmed: Key[] = [];
  const suspects = await parts.through(
    FIRST_KEY,
    (from, rows) => sweeps.compare(stream, sweep, { from, rows }),
    (part) => confirmed.push(...part.confirmed),
  );
  await driver.take(endSweepStep(stream, sweep));
  await parts.untilNone((rows) => sweeps.forgetSeen(stream, sweep, rows));
  return { suspects, confirmed };
}
