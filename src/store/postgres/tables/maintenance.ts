import { StopError } from "#model";
import type { MaintenanceStore } from "../../contract/maintenance.ts";
import { checkedNote } from "../../facts.ts";
import { upsert } from "../../roles/access.ts";
import type { SameSql } from "../../roles/same-sql.ts";
import type { Database } from "../database.ts";
import { call, filled } from "../sql.ts";

/** All tables except those about the store itself, which hold nothing about records. */
const TABLES = `
  SELECT tablename AS name FROM pg_tables
  WHERE schemaname = current_schema() AND tablename NOT IN ('leases', 'members', 'reserved', 'steps', 'store_version') ORDER BY tablename`;

/** Maintenance of the whole store. PostgreSQL's own tools make the backups. */
export function maintenanceStore(db: Database): Omit<MaintenanceStore, keyof SameSql> {
  const tableCounts = async () => {
    const names = (await db.read<{ name: string }>(TABLES)).map(({ name }) => name);
    const each = names.map((name) => `SELECT '${name}' AS name, count(*) AS count FROM ${name}`);
    const counts = await db.read<{ name: string; count: number }>(`${each.join(" UNION ALL ")} ORDER BY name`);
    return Object.fromEntries(counts.map(({ name, count }) => [name, count]));
  };
  return {
    tableCounts,
    async restored(creates) {
      await db.step([call("mark_restored", creates)]);
    },
    backup: () =>
      Promise.reject(
        new StopError(
          "E_STORE_COPY",
          "a store in PostgreSQL is not copied by svcsync; back the database up, for example by pg_dump",
        ),
      ),
    async check() {
      const values = { name: checkedNote.name, value: JSON.stringify(db.clock.now()) };
      if (!db.isReader) await db.step([filled(upsert("notes", "name", values))]);
      await tableCounts();
    },
  };
}
