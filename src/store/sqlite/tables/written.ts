import type { Database } from "better-sqlite3";
import type { Projection } from "#model";
import type { InFlight } from "../../claim.ts";
import { storedInFlight } from "../../rows/in-flight.ts";

/** What was last written to the service for a record, and which fields are in doubt. */
export class Written {
  readonly #apply;
  readonly #mark;
  readonly #forget;

  constructor(db: Database) {
    this.#apply = db.prepare<[number, string, number, string | null]>(`
      INSERT INTO written (record, applied, sequence, doubts) VALUES (?, ?, ?, ?)
      ON CONFLICT (record) DO UPDATE SET applied = excluded.applied, sequence = excluded.sequence, doubts = excluded.doubts`);
    this.#mark = db.prepare<[number, string]>(`
      INSERT INTO written (record, doubts) VALUES (?, ?) ON CONFLICT (record) DO UPDATE SET doubts = excluded.doubts`);
    this.#forget = db.prepare<[number]>("DELETE FROM written WHERE record = ?");
  }

  /** Stores that the service holds this version's projection, and that only `inFlight` is in flight. */
  apply(record: number, projection: Projection, sequence: number, inFlight?: InFlight): void {
    const left = inFlight === undefined ? null : JSON.stringify(storedInFlight(inFlight));
    this.#apply.run(record, JSON.stringify(projection), sequence, left);
  }

  markInFlight(record: number, inFlight: InFlight): void {
    this.#mark.run(record, JSON.stringify(storedInFlight(inFlight)));
  }

  forget(record: number): void {
    this.#forget.run(record);
  }
}
