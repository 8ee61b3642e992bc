import type { Database } from "better-sqlite3";

/** What grows with each commit: of others by SQLite's version of the file, of this connection by the rows that it wrote. */
export class Revision {
  readonly #others;
  readonly #own;

  constructor(db: Database) {
    this.#others = db.prepare<[], number>("PRAGMA data_version").pluck();
    this.#own = db.prepare<[], number>("SELECT total_changes()").pluck();
  }

  number(): number {
    return (this.#others.get() ?? 0) + (this.#own.get() ?? 0);
  }
}
