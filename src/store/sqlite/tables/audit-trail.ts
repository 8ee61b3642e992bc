import type { Database } from "better-sqlite3";
import type { Clock, RecordId } from "#model";
import type { AuditEntry } from "../../claim.ts";
import { ADD_AUDIT, OLD_ATTEMPTS, auditRow, type AuditRow } from "../../rows/audit-row.ts";

/** What was done to the service and to records. Append-only until entries are pruned by age; of a record's attempts the latest are kept. */
export class AuditTrail {
  readonly #clock: Clock;
  readonly #add;
  readonly #forgetAttempts;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#add = db.prepare<[AuditRow]>(ADD_AUDIT);
    const old = OLD_ATTEMPTS("stream = @stream AND key = @key");
    this.#forgetAttempts = db.prepare<[RecordId]>(`DELETE FROM audit WHERE ${old}`);
  }

  add(id: RecordId, entry: AuditEntry | undefined): void {
    if (entry === undefined) return;
    this.#add.run(auditRow(this.#clock.now(), id, entry));
    if (entry.action === "attempt") this.#forgetAttempts.run(id);
  }
}
