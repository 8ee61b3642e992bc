import type { Database } from "better-sqlite3";
import type { Cursor, StreamName } from "#model";

/** How far each stream was read. */
export class Streams {
  readonly #names;
  readonly #ensure;
  readonly #advance;
  readonly #advanceDeletions;
  readonly #count;

  constructor(db: Database) {
    this.#names = db.prepare<[], string>("SELECT stream FROM streams ORDER BY stream").pluck();
    this.#ensure = db.prepare<[string]>("INSERT INTO streams (stream) VALUES (?) ON CONFLICT DO NOTHING");
    this.#advance = db.prepare(`
      UPDATE streams SET sequence = @sequence, cursor = @cursor, polled_at = @now, error = NULL,
        completed_at = CASE WHEN @complete THEN @now ELSE completed_at END,
        rows_read = CASE WHEN poll_open THEN rows_read ELSE 0 END + @rows,
        poll_open = NOT @complete,
        first_load = first_load AND NOT @complete
      WHERE stream = @stream`);
    this.#advanceDeletions = db.prepare<[number, string, string]>(
      "UPDATE streams SET sequence = ?, deletion_cursor = ? WHERE stream = ?",
    );
    this.#count = db.prepare<[number, string]>("UPDATE streams SET sequence = ? WHERE stream = ?");
  }

  names(): StreamName[] {
    return this.#names.all();
  }

  /** Makes sure that the stream has a row. */
  ensure(stream: StreamName): void {
    this.#ensure.run(stream);
  }

  /** Moves the cursor after a batch. `rows` is added to the count of the current poll. */
  advance(
    stream: StreamName,
    batch: { sequence: number; cursor: Cursor; rows: number; complete: boolean; now: number },
  ): void {
    const { sequence, rows, now } = batch;
    const cursor = JSON.stringify(batch.cursor);
    this.#advance.run({ stream, sequence, cursor, rows, now, complete: batch.complete ? 1 : 0 });
  }

  /** Moves the cursor of the deletion feed after a batch. */
  advanceDeletions(stream: StreamName, batch: { sequence: number; cursor: Cursor }): void {
    this.#advanceDeletions.run(batch.sequence, JSON.stringify(batch.cursor), stream);
  }

  /** Stores the sequence after staging outside of a poll. */
  count(stream: StreamName, sequence: number): void {
    this.#count.run(sequence, stream);
  }
}
