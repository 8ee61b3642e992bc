import type { Clock, Json, StreamName } from "#model";
import type { Store } from "../contract/index.ts";
import type { NamingStore } from "../contract/naming.ts";
import { auditRecordOf, type AuditRow } from "../rows/audit-row.ts";
import { parseText, type JsonText } from "../rows/json-text.ts";
import { streamOf, type StreamRow } from "../rows/stream-row.ts";
import { childrenOf } from "./children.ts";
import { naming } from "./naming.ts";
import { pruning } from "./pruning.ts";
import { upsert, type Access, type Dialect, type SqlValues } from "./access.ts";

/** The steps whose SQL is the same in SQLite and PostgreSQL. No delivery waits for them. */
export type SameSql = Pick<
  Store,
  | "stream"
  | "pollFailed"
  | "resetCursor"
  | "decideAdoption"
  | "reference"
  | "saveReference"
  | "boundIds"
  | "matchKeys"
  | "children"
  | "audit"
  | "prune"
  | keyof NamingStore
>;

export function sameSql(access: Access, clock: Clock, dialect: Dialect): SameSql {
  /** Sets columns of a stream and creates its row if needed. */
  const set = async (stream: StreamName, columns: string, values: SqlValues) => {
    await access.step([
      { sql: "INSERT INTO streams (stream) VALUES (@stream) ON CONFLICT DO NOTHING", values: { stream } },
      { sql: `UPDATE streams SET ${columns} WHERE stream = @stream`, values: { ...values, stream } },
    ]);
  };
  return {
    ...naming(access, clock),
    async stream(name) {
      const [row] = await access.read<StreamRow>("SELECT * FROM streams WHERE stream = @name", { name });
      return streamOf(row);
    },
    pollFailed: (stream, error) =>
      set(stream, "error = @error, poll_open = 0", {
        error: JSON.stringify({ ...access.clean(error), at: clock.now() }),
      }),
    async resetCursor(stream) {
      const sql = "UPDATE streams SET cursor = NULL, poll_open = 0 WHERE stream = @stream";
      await access.step([{ sql, values: { stream } }]);
    },
    decideAdoption: (stream, decision) =>
      set(stream, "adoption = @decision, adoption_at = @at", {
        decision: decision ?? null,
        at: decision === undefined ? null : clock.now(),
      }),
    async reference(resource) {
      const sql = "SELECT read_at, entries FROM reference WHERE resource = @resource";
      const [row] = await access.read<{ read_at: number; entries: JsonText<Json> }>(sql, { resource });
      return row && { readAt: row.read_at, entries: parseText(row.entries) };
    },
    async saveReference(resource, entries) {
      const values = { resource, read_at: clock.now(), entries: JSON.stringify(entries) };
      await access.step([upsert("reference", "resource", values)]);
    },
    async boundIds(resource, limit) {
      const sql = "SELECT service_id FROM bindings WHERE resource = @resource ORDER BY service_id DESC LIMIT @limit";
      return (await access.read<{ service_id: number }>(sql, { resource, limit })).map(({ service_id }) => service_id);
    },
    async matchKeys(resource, serviceId) {
      const sql = "SELECT rule, key FROM match_keys WHERE resource = @resource AND service_id = @serviceId";
      const keys = await access.read<{ rule: string; key: string }>(sql, { resource, serviceId });
      return Object.fromEntries(keys.map(({ rule, key }) => [rule, key]));
    },
    children: childrenOf(access, dialect),
    async audit({ id, limit }) {
      const where = id === undefined ? "" : `WHERE ${dialect.isRecord}`;
      const sql = `SELECT * FROM audit ${where} ORDER BY id DESC LIMIT @limit`;
      return (await access.read<AuditRow>(sql, { ...id, limit })).map(auditRecordOf);
    },
    prune: pruning(access),
  };
}
