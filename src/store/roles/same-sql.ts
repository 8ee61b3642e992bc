import type { Clock, Json, RecordId, StreamName } from "#model";
import type { Store } from "../contract/index.ts";
import type { NamingStore } from "../contract/naming.ts";
import { auditRecordOf, type AuditRow } from "../rows/audit-row.ts";
import { parseText, type JsonText } from "../rows/json-text.ts";
import { adoptionOf, cursorOf, type StreamRow } from "../rows/stream-row.ts";
import { naming } from "./naming.ts";
import { removal, upsert, type Access, type Dialect, type SqlValues } from "./access.ts";

/** The steps whose SQL is the same in SQLite and PostgreSQL. No delivery waits for them. */
export type SameSql = Pick<
  Store,
  | "cursor"
  | "fingerprint"
  | "pollFailed"
  | "resetCursor"
  | "adoption"
  | "decideAdoption"
  | "reference"
  | "saveReference"
  | "boundIds"
  | "matchKeys"
  | "waitingFor"
  | "audit"
  | "pruneAudit"
  | "pruneDeletions"
  | keyof NamingStore
>;

export function sameSql(access: Access, clock: Clock, { isRecord }: Dialect): SameSql {
  const rowOf = async (stream: StreamName) => {
    const [row] = await access.read<StreamRow>("SELECT * FROM streams WHERE stream = @stream", { stream });
    return row;
  };
  /** Sets columns of a stream and creates its row if needed. */
  const set = async (stream: StreamName, columns: string, values: SqlValues) => {
    await access.step([
      { sql: "INSERT INTO streams (stream) VALUES (@stream) ON CONFLICT DO NOTHING", values: { stream } },
      { sql: `UPDATE streams SET ${columns} WHERE stream = @stream`, values: { ...values, stream } },
    ]);
  };
  return {
    ...naming(access, clock),
    cursor: async (stream) => cursorOf(await rowOf(stream)),
    fingerprint: async (stream) => (await rowOf(stream))?.fingerprint ?? undefined,
    pollFailed: (stream, error) =>
      set(stream, "error = @error, poll_open = 0", {
        error: JSON.stringify({ ...access.clean(error), at: clock.now() }),
      }),
    async resetCursor(stream) {
      const sql = "UPDATE streams SET cursor = NULL, poll_open = 0 WHERE stream = @stream";
      await access.step([{ sql, values: { stream } }]);
    },
    adoption: async (stream) => adoptionOf(await rowOf(stream)),
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
    async waitingFor({ stream, key }) {
      const sql = `
        SELECT r.stream AS stream, r.key AS key FROM waits w JOIN records r ON r.id = w.child
        WHERE w.stream = @stream AND w.key = @key AND r.state = 'waiting' ORDER BY w.child`;
      return access.read<RecordId>(sql, { stream, key });
    },
    async audit({ id, limit }) {
      const where = id === undefined ? "" : `WHERE ${isRecord}`;
      const sql = `SELECT * FROM audit ${where} ORDER BY id DESC LIMIT @limit`;
      return (await access.read<AuditRow>(sql, { ...id, limit })).map(auditRecordOf);
    },
    pruneAudit: (before) => access.untilNone(removal("audit", { where: "at < @before", values: { before } })),
    pruneDeletions: (before) =>
      access.untilNone(removal("deletions", { where: "told_at < @before AND done = 1", values: { before } })),
  };
}
