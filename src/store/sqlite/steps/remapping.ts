import type { Database } from "better-sqlite3";
import type { Clock, Key, Projection, RecordId, StreamName } from "#model";
import type { AuditEntry } from "../../claim.ts";
import { stateList } from "../../rows/state-list.ts";
import { COMPARED_STILL, statesMovedTo } from "../../transitions.ts";
import type { InParts } from "../in-parts.ts";
import type { Tables } from "../tables.ts";
import { FIRST_KEY, IN_PART, StreamParts } from "../tables/stream-parts.ts";
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
    this.#mark = db.prepare<[object]>(`UPDATE records SET again = 1 WHERE ${IN_PART} AND state = 'claimed'`);
    this.#hasten = db.prepare<[object]>(`
      UPDATE records SET due_at = min(due_at, @now), attempts = 0, error = NULL WHERE ${IN_PART} AND state = 'due'`);
    this.#wake = db.prepare<[object]>(`
      UPDATE records SET state = 'due', due_at = @now, attempts = 0, error = NULL, backfill = 1
      WHERE ${IN_PART} AND state IN (${stateList(statesMovedTo("due", "remap"))})`);
  }

  /** Whether this fingerprint requires a remap. Stores the first fingerprint at once. */
  begin(stream: StreamName, fingerprint: string): boolean {
    this.#streams.ensure(stream);
    const known = this.#fingerprint.get(stream) ?? undefined;
    if (known === undefined) this.end(stream, fingerprint);
    return known !== undefined && known !== fingerprint;
  }

  /** Makes the records due in the part of the stream that begins with `from`. Returns how many, and where the next part begins. */
  wake(stream: StreamName, from: Key): { count: number; next: Key | undefined } {
    const part = this.#parts.at(stream, from);
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
  const count = await parts.through(FIRST_KEY, (from) => remapping.wake(stream, from));
  await parts.step(() => remapping.end(stream, fingerprint));
  return count;
}

const MOVED = stateList(statesMovedTo("due", "recheck"));

/** Whether a record that no delivery holds keeps its state when it is compared, and has no request in flight. */
const isStill = `r.state IN (${stateList(COMPARED_STILL)}) AND NOT EXISTS
  (SELECT 1 FROM written w WHERE w.record = r.id AND w.doubts <> '{}' AND instr(w.doubts, '"(drift)":true') = 0)`;

/** Makes records due whose counterpart in the service was found to differ. */
export class Rechecks {
  readonly #clock: Clock;
  readonly #tables: Pick<Tables, "audit" | "written">;
  readonly #bound;
  readonly #move;

  constructor(db: Database, clock: Clock, tables: Pick<Tables, "audit" | "written">) {
    this.#clock = clock;
    this.#tables = tables;
    this.#bound = db
      .prepare<[string, string, 0 | 1], number>(
        `SELECT r.id FROM records r JOIN bindings b ON b.record = r.id
         WHERE r.stream = ? AND r.key = ? AND (r.state IN (${MOVED}) OR (? = 1 AND ${isStill}))`,
      )
      .pluck();
    // Repairs have the priority of a first load: live changes go first.
    this.#move = db.prepare<[number, number]>(
      `UPDATE records SET state = 'due', due_at = ?, backfill = max(1, backfill) WHERE id = ? AND state IN (${MOVED})`,
    );
  }

  recheck(
    { stream, key }: RecordId,
    fields: Projection,
    entry?: AuditEntry,
    { anyState } = { anyState: false },
  ): boolean {
    const record = this.#bound.get(stream, key, anyState ? 1 : 0);
    if (record === undefined) return false;
    this.#tables.written.markInFlight(record, { kind: "drift", fields });
    this.#tables.audit.add({ stream, key }, entry);
    this.#move.run(this.#clock.now(), record);
    return true;
  }
}
