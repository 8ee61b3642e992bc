import type { Database } from "better-sqlite3";
import type { Clock, Key, StreamName } from "#model";
import { stateList } from "../../rows/state-list.ts";
import { statesMovedTo } from "../../transitions.ts";
import type { InParts } from "../in-parts.ts";
import { FIRST_KEY, IN_PART_OF_STREAM, StreamParts } from "../tables/stream-parts.ts";
import type { Streams } from "../tables/streams.ts";

/** Makes a whole stream due when its mapping may have changed. */
export class Remapping {
  readonly #clock: Clock;
  readonly #streams: Streams;
  readonly #parts: StreamParts;
  readonly #fingerprint;
  readonly #save;
  readonly #mark;
  readonly #hasten;
  readonly #wake;

  constructor(db: Database, clock: Clock, streams: Streams) {
    this.#clock = clock;
    this.#streams = streams;
    this.#parts = new StreamParts(db);
    this.#fingerprint = db.prepare<[string], string | null>("SELECT fingerprint FROM streams WHERE stream = ?").pluck();
    this.#save = db.prepare<[string, string]>("UPDATE streams SET fingerprint = ? WHERE stream = ?");
    this.#mark = db.prepare<[object]>(`UPDATE records SET again = 1 WHERE ${IN_PART_OF_STREAM} AND state = 'claimed'`);
    this.#hasten = db.prepare<[object]>(`
      UPDATE records SET due_at = min(due_at, @now), attempts = 0, error = NULL WHERE ${IN_PART_OF_STREAM} AND state = 'due'`);
    this.#wake = db.prepare<[object]>(`
      UPDATE records SET state = 'due', due_at = @now, attempts = 0, error = NULL, backfill = 1
      WHERE ${IN_PART_OF_STREAM} AND state IN (${stateList(statesMovedTo("due", "remap"))})`);
  }

  /** Whether this fingerprint requires a remap. Stores the first fingerprint at once. */
  begin(stream: StreamName, fingerprint: string): boolean {
    this.#streams.ensure(stream);
    const known = this.#fingerprint.get(stream) ?? undefined;
    if (known === undefined) this.end(stream, fingerprint);
    return known !== undefined && known !== fingerprint;
  }

  /** Makes the records due in the part of the stream that begins with `from` and has so many rows. Returns how many, and where the next part begins. */
  wake(stream: StreamName, from: Key, rows: number): { count: number; next: Key | undefined } {
    const part = this.#parts.at(stream, from, rows);
    const values = { ...part, stream, now: this.#clock.now() };
    const pending = this.#mark.run(values).changes + this.#hasten.run(values).changes;
    return { count: pending + this.#wake.run(values).changes, next: part.next };
  }

  /** Stores the fingerprint, because all parts are done. */
  end(stream: StreamName, fingerprint: string): void {
    this.#save.run(fingerprint, stream);
  }
}

/** Makes a stream due for a new fingerprint. The fingerprint is stored last, so an interrupted remap starts over. */
export async function remap(remapping: Remapping, parts: InParts, stream: StreamName, fingerprint: string) {
  if (!(await parts.step(() => remapping.begin(stream, fingerprint)))) return 0;
  const count = await parts.through(FIRST_KEY, (from, rows) => remapping.wake(stream, from, rows));
  await parts.step(() => remapping.end(stream, fingerprint));
  return count;
}
