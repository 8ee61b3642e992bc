import type { Database } from "better-sqlite3";
import { createsNote, restoredNote } from "../../facts.ts";

/**
 * Forgets what may be outdated in a store that is older than the service. It does not know records created since, so the service is read in
 * full, and people must decide about unbound records.
 */
const NOT_BELIEVED = `
  UPDATE match_indexes SET read_at = NULL;
  UPDATE streams SET adoption = NULL, adoption_at = NULL;
  INSERT INTO notes (name, value) VALUES ('${restoredNote.name}', 'true')
    ON CONFLICT (name) DO UPDATE SET value = 'true'`;

/** Marks the store as older than the service. The count of creates continues from `creates`, if given. */
export function markRestored(db: Database, creates?: number): void {
  db.exec(NOT_BELIEVED);
  if (creates === undefined) return;
  db.prepare<[string, string]>(
    "INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  ).run(createsNote.name, JSON.stringify(creates));
}
