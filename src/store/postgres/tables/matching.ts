import type { ResourceName, ServiceId } from "#model";
import type { MatchStore } from "../../contract/matching.ts";
import type { SameSql } from "../../roles/same-sql.ts";
import type { Database } from "../database.ts";
import { partsOf } from "../in-parts.ts";
import { call, fill } from "../sql.ts";

const READING = "coalesce((SELECT reading FROM match_indexes WHERE resource = @resource), 0)";

/** The match index, by the number of the whole read that last saw each record: see the SQLite store. */
export function matchStore(db: Database): Omit<MatchStore, keyof SameSql | "recheck" | "saveMatches"> {
  return {
    async beginMatches(resource) {
      const begin = `
        INSERT INTO match_indexes AS i (resource, reading) VALUES (@resource, 1)
        ON CONFLICT (resource) DO UPDATE SET reading = i.reading + 1 RETURNING reading`;
      const [begun] = await db.step([fill(begin, { resource })]);
      const [row]: { reading: number }[] = begun?.rows ?? [];
      // If interrupted, this has only added ids that records are bound to.
      const unknown = `bindings b WHERE b.resource = @resource AND NOT EXISTS
        (SELECT 1 FROM match_records m WHERE m.resource = b.resource AND m.service_id = b.service_id)`;
      const remember = `
        INSERT INTO match_records (resource, service_id)
        SELECT resource, service_id FROM bindings WHERE resource = @resource AND service_id = ANY (@ids) ON CONFLICT DO NOTHING`;
      for (const { ids } of await partsOf(db, "b.service_id", unknown, { resource }))
        await db.step([fill(remember, { resource, ids })]);
      return row?.reading ?? 0;
    },
    async unseenMatches(resource, limit, own) {
      const reading = own ?? (await readingOf(resource));
      const count = `
        SELECT count(*) AS known, count(*) FILTER (WHERE reading < @reading) AS unseen
        FROM match_records WHERE resource = @resource`;
      const some = `
        SELECT service_id FROM match_records WHERE resource = @resource AND reading < @reading ORDER BY random() LIMIT @limit`;
      const [{ known, unseen } = { known: 0, unseen: 0 }] = await db.read<{ known: number; unseen: number }>(count, {
        resource,
        reading,
      });
      return { known, unseen, some: unseen === 0 ? [] : await idsOf(some, { resource, reading, limit }) };
    },
    async endMatches(resource, { whole, readAt, reading }) {
      if (whole) await forgetUnseen(resource, reading ?? (await readingOf(resource)));
      const stamp = `
        INSERT INTO match_indexes (resource, read_at) VALUES (@resource, @readAt)
        ON CONFLICT (resource) DO UPDATE SET read_at = excluded.read_at`;
      await db.step([fill(stamp, { resource, readAt })]);
    },
    async matchIndex(resource) {
      const [row] = await db.read<{ readAt: number; isEmpty: boolean }>(call("match_index", resource));
      return row;
    },
    async unboundMatches(resource) {
      const [row] = await db.read<{ count: number }>(
        `SELECT count(*) AS count FROM match_records m WHERE resource = @resource AND NOT EXISTS
           (SELECT 1 FROM bindings b WHERE b.resource = m.resource AND b.service_id = m.service_id)`,
        { resource },
      );
      return row?.count ?? 0;
    },
    async matches(resource, rule, key) {
      const found = await db.readTogether<{ service_id: ServiceId }>("find_matches", { resource, rule, key });
      return found.map(({ service_id }) => service_id);
    },
  };

  /** The number of the whole read that began last. */
  async function readingOf(resource: ResourceName): Promise<number> {
    const [row] = await db.read<{ reading: number }>(`SELECT ${READING} AS reading`, { resource });
    return row?.reading ?? 0;
  }

  /** Forgets what neither this whole read nor a later one has shown. If interrupted, it has only forgotten such records. */
  async function forgetUnseen(resource: ResourceName, reading: number): Promise<void> {
    const values = { resource, reading };
    const unseen = "match_records WHERE resource = @resource AND reading < @reading";
    const forget = `
      WITH gone AS (
        DELETE FROM ${unseen} AND service_id = ANY (@ids) RETURNING service_id)
      DELETE FROM match_keys WHERE resource = @resource AND service_id = ANY (ARRAY(SELECT service_id FROM gone))`;
    for (const { ids } of await partsOf(db, "service_id", unseen, values))
      await db.step([fill(forget, { ...values, ids })]);
  }

  async function idsOf(sql: string, values?: Readonly<Record<string, string | number>>): Promise<ServiceId[]> {
    return (await db.read<{ service_id: number }>(sql, values)).map(({ service_id }) => service_id);
  }
}
