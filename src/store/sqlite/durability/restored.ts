import type { Database } from "better-sqlite3";
import { createsNote, restoredNote } from "../../facts.ts";

/**
 * What a store must not believe that is older than the service: records that were created since are unknown to it, so what
 * the service holds is read whole, and people are asked about what no record is bound to.
 */
const NOT_BELIEVED = `
  UPDATE match_indexes SET read_at = NULL;
  UPDATE streams SET adoption = NULL, adoption_at = NULL;
  INSERT INTO notes (name, value) VALUES ('${restoredNote.name}', 'true')
    ON CONFLICT (name) DO UPDATE SET value = 'true'`;

/** Makes the store one that is older than the service; it counts on from `creates`, where that is known. */
export function markRestored(db: Database, creates?: number): void {
  db.exec(NOT_BELIEVED);
  if (creates === undefined) return;
  db.prepare<[string, string]>(
    "INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  ).run(createsNote.name, JSON.stringify(creates));
}
