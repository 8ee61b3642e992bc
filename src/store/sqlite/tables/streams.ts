import type { Database } from "better-sqlite3";
import type { StreamName } from "#model";

/** How far each stream was read. */
export class Streams {
  readonly #names;
  readonly #ensure;

  constructor(db: Database) {
    this.#names = db.prepare<[], string>("SELECT stream FROM streams ORDER BY stream").pluck();
    this.#ensure = db.prepare<[string]>("INSERT INTO streams (stream) VALUES (?) ON CONFLICT DO NOTHING");
  }

  names(): StreamName[] {
    return this.#names.all();
  }

  /** Makes sure that the stream has a row. */
  ensure(stream: StreamName): void {
    this.#ensure.run(stream);
  }
}
