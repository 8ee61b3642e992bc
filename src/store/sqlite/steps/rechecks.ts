import type { Database } from "better-sqlite3";
import type { Clock, Projection, RecordId } from "#model";
import { statesMovedTo } from "../../transitions.ts";
import { stateList } from "../../rows/state-list.ts";
import type { AuditEntry } from "../../claim.ts";
import type { Tables } from "../tables.ts";

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
