import type { Database } from "better-sqlite3";
import type { Projection } from "#model";

/** What was last written to the service for a record, and the fields of which that is not certain. */
export class Written {
  readonly #apply;
  readonly #doubt;
  readonly #forget;

  constructor(db: Database) {
    this.#apply = db.prepare<[number, string, number, string | null]>(`
      INSERT INTO written (record, applied, sequence, doubts) VALUES (?, ?, ?, ?)
      ON CONFLICT (record) DO UPDATE SET applied = excluded.applied, sequence = excluded.sequence, doubts = excluded.doubts`);
    this.#doubt = db.prepare<[number, string]>(`
      INSERT INTO written (record, doubts) VALUES (?, ?) ON CONFLICT (record) DO UPDATE SET doubts = excluded.doubts`);
    this.#forget = db.prepare<[number]>("DELETE FROM written WHERE record = ?");
  }

  /** The projection of this version is in the service; all doubts but these are settled. */
  apply(record: number, projection: Projection, sequence: number, doubts: Projection = {}): void {
    const left = Object.keys(doubts).length === 0 ? null : JSON.stringify(doubts);
    this.#apply.run(record, JSON.stringify(projection), sequence, left);
  }

  doubt(record: number, doubts: Projection): void {
    this.#doubt.run(record, JSON.stringify(doubts));
  }

  forget(record: number): void {
    this.#forget.run(record);
  }
}
