import type { Database } from "better-sqlite3";
import { createsNote } from "../../facts.ts";

/** Counts the creates that are begun. */
export class CreateCount {
  readonly #add;

  constructor(db: Database) {
    this.#add = db
      .prepare<[string], number>(
        `INSERT INTO notes (name, value) VALUES (?, '1')
         ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)
         RETURNING CAST(value AS INTEGER)`,
      )
      .pluck();
  }

  /** Counts one more. @returns how many there are. */
  add(): number {
    return this.#add.get(createsNote.name)!;
  }
}
