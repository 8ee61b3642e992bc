import type { Database } from "better-sqlite3";
import type { Clock, RecordId } from "#model";
import type { AuditEntry } from "../../claim.ts";
import type { AuditRecord } from "../../facts.ts";
import { REMOVED_AT_ONCE } from "../in-parts.ts";
import { ADD_AUDIT, auditRecordOf, auditRow, type AuditRow } from "../../rows/audit-row.ts";

/** What was done to the service and to a record's life, append-only until it is pruned by age. */
export class AuditTrail {
  readonly #clock: Clock;
  readonly #add;
  readonly #latest;
  readonly #latestOf;
  readonly #prune;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.#add = db.prepare<[AuditRow]>(ADD_AUDIT);
    this.#latest = db.prepare<[number], AuditRow>("SELECT * FROM audit ORDER BY id DESC LIMIT ?");
    this.#latestOf = db.prepare<[string, string, number], AuditRow>(
      "SELECT * FROM audit WHERE stream = ? AND key = ? ORDER BY id DESC LIMIT ?",
    );
    this.#prune = db.prepare<[number]>(`DELETE FROM audit WHERE at < ? LIMIT ${REMOVED_AT_ONCE}`);
  }

  add(id: RecordId, entry: AuditEntry | undefined): void {
    if (entry !== undefined) this.#add.run(auditRow(this.#clock.now(), id, entry));
  }

  latest({ id, limit }: { id?: RecordId; limit: number }): AuditRecord[] {
    const rows = id === undefined ? this.#latest.all(limit) : this.#latestOf.all(id.stream, id.key, limit);
    return rows.map(auditRecordOf);
  }

  /** Removes some of the entries that are older. Returns how many; none where none is left. */
  prune(before: number): number {
    return this.#prune.run(before).changes;
  }
}
