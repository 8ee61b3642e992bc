import { HOUR_MS } from "#model";
import type { MaintenanceStore, Pruned } from "../contract/maintenance.ts";
import type { Access } from "./access.ts";

/** Where the rows are, which column identifies one, and which of them are old. */
const KINDS: { readonly [What in Pruned]: readonly [table: string, id: string, isOld: string] } = {
  audit: ["audit", "id", "at < @before"],
  deletions: ["deletions", "record", "told_at < @before AND done = 1"],
  exchanges: ["exchanges", "id", "at < @before"],
  history: ["run_history", "hour", "hour < @before"],
};

/** Removes old rows in parts, so that other steps can run in between. */
export function pruning(access: Access): MaintenanceStore["prune"] {
  return async (what, before) => {
    const [table, id, isOld] = KINDS[what];
    const values = { before: what === "history" ? Math.floor(before / HOUR_MS) : before };
    const sql = `DELETE FROM ${table} WHERE ${id} IN (SELECT ${id} FROM ${table} WHERE ${isOld} LIMIT @limit) RETURNING ${id}`;
    const count = await access.untilNone({ sql, values });
    if (what === "exchanges") await access.step([{ sql: "DELETE FROM watches WHERE until < @before", values }]);
    return count;
  };
}
