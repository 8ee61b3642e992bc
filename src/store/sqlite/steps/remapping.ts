import type { Database } from "better-sqlite3";
import type { Clock, Projection, RecordId, StreamName } from "#model";
import type { AuditEntry } from "../../claim.ts";
import { stateList } from "../../rows/state-list.ts";
import { statesMovedTo } from "../../transitions.ts";
import type { Tables } from "../tables.ts";
import type { Streams } from "../tables/streams.ts";

/** Makes a whole stream due when what its records map to may have changed. */
export class Remapping {
  readonly #clock: Clock;
  readonly #streams: Streams;
  readonly #fingerprint;
  readonly #save;
  readonly #mark;
  readonly #hasten;
  readonly #wake;

  constructor(db: Database, clock: Clock, streams: Streams) {
    this.#clock = clock;
    this.#streams = streams;
    this.#fingerprint = db.prepare<[string], string | null>("SELECT fingerprint FROM streams WHERE stream = ?").pluck();
    this.#save = db.prepare<[string, string]>("UPDATE streams SET fingerprint = ? WHERE stream = ?");
    this.#mark = db.prepare<[string]>("UPDATE records SET again = 1 WHERE stream = ? AND state = 'claimed'");
    this.#hasten = db.prepare<[number, string]>(`
      UPDATE records SET due_at = min(due_at, ?), attempts = 0, error = NULL WHERE stream = ? AND state = 'due'`);
    this.#wake = db.prepare<[number, string]>(`
      UPDATE records SET state = 'due', due_at = ?, attempts = 0, error = NULL, backfill = 1
      WHERE stream = ? AND state IN (${stateList(statesMovedTo("due", "remap"))})`);
  }

  fingerprint(stream: StreamName): string | undefined {
    return this.#fingerprint.get(stream) ?? undefined;
  }

  remap(stream: StreamName, fingerprint: string): number {
    this.#streams.ensure(stream);
    const known = this.fingerprint(stream);
    if (known === fingerprint) return 0;
    this.#save.run(fingerprint, stream);
    if (known === undefined) return 0;
    const now = this.#clock.now();
    const pending = this.#mark.run(stream).changes + this.#hasten.run(now, stream).changes;
    return pending + this.#wake.run(now, stream).changes;
  }
}

/** Sends records again whose counterpart in the service was found to differ. */
export class Rechecks {
  readonly #clock: Clock;
  readonly #tables: Pick<Tables, "audit" | "written">;
  readonly #bound;
  readonly #move;

  constructor(db: Database, clock: Clock, tables: Pick<Tables, "audit" | "written">) {
    this.#clock = clock;
    this.#tables = tables;
    this.#bound = db
      .prepare<[string, string], number>(
        `SELECT r.id FROM records r JOIN bindings b ON b.record = r.id
         WHERE r.stream = ? AND r.key = ? AND r.state IN (${stateList(statesMovedTo("due", "recheck"))})`,
      )
      .pluck();
    // A repair is as patient as a first load: what people change now goes first.
    this.#move = db.prepare<[number, number]>(
      "UPDATE records SET state = 'due', due_at = ?, backfill = 1 WHERE id = ?",
    );
  }

  recheck({ stream, key }: RecordId, fields: Projection, entry?: AuditEntry): boolean {
    const record = this.#bound.get(stream, key);
    if (record === undefined) return false;
    this.#tables.written.markInFlight(record, { kind: "drift", fields });
    this.#tables.audit.add({ stream, key }, entry);
    this.#move.run(this.#clock.now(), record);
    return true;
  }
}
