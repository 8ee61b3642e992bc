import type { RecordId } from "#model";
import type { AuditEntry } from "../claim.ts";
import { ADD_AUDIT, auditRow, OLD_ATTEMPTS, type AuditRow } from "../rows/audit-row.ts";
import { statement, type StatementCall } from "./statement.ts";

export const addEntry = statement<AuditRow>({
  name: "add_entry",
  takes: {
    at: "integer",
    stream: "text",
    key: "text",
    action: "text",
    resource: "text",
    service_id: "integer",
    before: "text",
    after: "text",
    outcome: "text",
    status: "integer",
    duration_ms: "real",
    actor: "text",
    via: "text",
    why: "text",
  },
  sql: ({ from }) => `${ADD_AUDIT} ${from}`,
});

/** Removes the attempts of a record that are too old to be kept. */
export const dropOldAttempts = statement<{ stream: string; key: string }>({
  name: "drop_old_attempts",
  takes: { stream: "text", key: "text" },
  sql: ({ isOf }) => `DELETE FROM audit WHERE ${OLD_ATTEMPTS(isOf("audit", "@stream", "@key"))}`,
});

/** Adds an entry to the audit trail. Of a record's attempts the latest are kept. */
export function audited(id: RecordId, entry: AuditEntry | undefined, now: number): readonly StatementCall[] {
  if (entry === undefined) return [];
  const added = addEntry(auditRow(now, id, entry));
  const { stream, key } = id;
  return entry.action === "attempt" ? [added, dropOldAttempts({ stream, key })] : [added];
}
