import type { Database } from "better-sqlite3";
import type { Clock, RecordId } from "#model";
import type { AuditEntry } from "../../claim.ts";
import { ADD_AUDIT, auditRow, type AuditRow } from "../../rows/audit-row.ts";

/** What was done to the service and to records. Append-only until entries are pruned by age. */
export class AuditTrail {
  readonly #clock: Clock;
  readonly #add;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#add = db.prepare<[AuditRow]>(ADD_AUDIT);
  }

  add(id: RecordId, entry: AuditEntry | undefined): void {
    if (entry !== undefined) this.#add.run(auditRow(this.#clock.now(), id, entry));
  }
}
