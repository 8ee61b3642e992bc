import { RECORD_STATES, recordName, type Binding, type RecordId, type RecordState, type StreamName } from "#model";
import type { RecordStore } from "../../contract/records.ts";
import type { RecordView } from "../../facts.ts";
import { viewOf, type RecordRow } from "../../rows/record-row.ts";
import { stateList } from "../../rows/state-list.ts";
import type { SameSql } from "../../roles/same-sql.ts";
import type { Database } from "../database.ts";
import { fill, head, isRecord, type SqlText } from "../sql.ts";
import { originalText } from "../text.ts";

type ViewRow = RecordRow & { readonly waits: readonly { readonly s: string; readonly k: string }[] | null };

const VIEW = `
  SELECT r.*, CASE WHEN r.state = 'waiting' THEN (
    SELECT json_agg(json_build_object('s', w.stream, 'k', w.key) ORDER BY w.stream, w.key) FROM waits w WHERE w.child = r.id) END AS waits
  FROM record_rows r`;

/** What is known about records. */
export function recordStore(db: Database): Omit<RecordStore, keyof SameSql> {
  const views = async (where: SqlText) =>
    (await db.read<ViewRow>(`${VIEW} ${where}`)).map((row) =>
      viewOf(row, row.waits?.map(({ s, k }) => ({ stream: originalText(s), key: originalText(k) })) ?? []),
    );
  return {
    async record({ stream, key }) {
      const [view] = await views(fill(`WHERE ${isRecord("r", "@stream", "@key")}`, { stream, key }));
      return view;
    },
    async records({ stream, after, limit, ...which }) {
      const streams = stream === undefined ? await namesOf(db) : [stream];
      const found: RecordView[] = [];
      for (const name of streams) {
        if (found.length >= limit) break;
        if (after !== undefined && Buffer.compare(Buffer.from(name), Buffer.from(after.stream)) < 0) continue;
        const afterKey = after !== undefined && name === after.stream ? after.key : undefined;
        const page = pageOf(name, which, afterKey, limit - found.length);
        if (page !== undefined) found.push(...(await views(page)));
      }
      return found;
    },
    async counts(states) {
      const where = states === undefined ? "" : `WHERE state IN (${stateList(states) || "''"})`;
      const rows = await db.read<{ stream: StreamName; state: RecordState; count: number }>(
        `SELECT stream, state, count(*) AS count FROM records ${where} GROUP BY stream, state`,
      );
      const counts = new Map<StreamName, Partial<Record<RecordState, number>>>();
      for (const { stream, state, count } of rows) counts.set(stream, { ...counts.get(stream), [state]: count });
      return counts;
    },
    async bindings(records) {
      if (records.length === 0) return new Map();
      const rows = await db.read<RecordId & Binding>(
        `SELECT r.stream, r.key, b.resource, b.service_id AS "serviceId"
         FROM json_to_recordset(@records) AS n(stream text, key text)
         JOIN LATERAL (SELECT * FROM records r WHERE ${isRecord("r", "n.stream", "n.key")} LIMIT 1) r ON true
         JOIN bindings b ON b.record = r.id`,
        { records: records.map(({ stream, key }) => ({ stream, key })) },
      );
      return new Map(rows.map(({ resource, serviceId, ...id }) => [recordName(id), { resource, serviceId }]));
    },
    async boundTo({ resource, serviceId }) {
      const [owner] = await db.readTogether<RecordId>("bound_to", { resource, serviceId });
      return owner && { stream: owner.stream, key: owner.key };
    },
  };
}

async function namesOf(db: Database): Promise<StreamName[]> {
  return (await db.read<{ stream: string }>("SELECT stream FROM streams ORDER BY stream")).map(({ stream }) => stream);
}

/** Reads one index range per state, each up to the limit: a page costs the same however many records the stream has. */
function pageOf(
  stream: StreamName,
  { states = RECORD_STATES, unbound }: { states?: readonly RecordState[]; unbound?: true },
  after: string | undefined,
  limit: number,
): SqlText | undefined {
  if (states.length === 0) return undefined;
  const range = [
    "r.stream = @stream",
    ...(after === undefined ? [] : [`${head("r.key")} >= ${head("@after")} AND r.key > @after`]),
    ...(unbound ? ["NOT EXISTS (SELECT 1 FROM bindings b WHERE b.record = r.id)"] : []),
  ].join(" AND ");
  const order = `ORDER BY ${head("r.key")}, r.key`;
  const ranges = states.map(
    (state) =>
      `(SELECT r.id, r.key FROM records r WHERE ${range} AND r.state = ${stateList([state])} ${order} LIMIT @limit)`,
  );
  const sql = `WHERE r.id IN (SELECT id FROM (${ranges.join(" UNION ALL ")}) page ORDER BY key LIMIT @limit) ORDER BY r.key`;
  return fill(sql, { stream, after, limit });
}
