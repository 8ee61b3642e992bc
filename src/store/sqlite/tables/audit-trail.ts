import type { Database } from "better-sqlite3";
import type { Clock, RecordId } from "#model";
import type { AuditEntry } from "../../claim.ts";
import { REMOVED_AT_ONCE } from "../in-parts.ts";
import { ADD_AUDIT, auditRow, type AuditRow } from "../../rows/audit-row.ts";

/** What was done to the service and to a record's life, append-only until it is pruned by age. */
export class AuditTrail {
  readonly #clock: Clock;
  readonly #add;
  readonly #prune;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#add = db.prepare<[AuditRow]>(ADD_AUDIT);
    this.#prune = db.prepare<[number]>(`DELETE FROM audit WHERE at < ? LIMIT ${REMOVED_AT_ONCE}`);
  }

  add(id: RecordId, entry: AuditEntry | undefined): void {
    if (entry !== undefined) this.#add.run(auditRow(this.#clock.now(), id, entry));
  }

  /** Removes some of the entries that are older. Returns how many; none where none is left. */
  prune(before: number): number {
    return this.#prune.run(before).changes;
  }
}
