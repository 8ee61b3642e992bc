import type { AuditRow } from "../rows/audit-row.ts";
import { ADD_AUDIT, OLD_ATTEMPTS } from "../rows/audit-row.ts";
import { statement } from "./statement.ts";

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
