import type { Database } from "better-sqlite3";
import { StopError } from "#model";

/**
 * Reads the whole file and checks its structure: seconds per gigabyte.
 * @throws {StopError} E_STORE_CORRUPT when it is damaged.
 */
export function expectUndamaged(db: Database): void {
  const found = db.pragma("quick_check(1)", { simple: true });
  if (found === "ok") return;
  throw new StopError(
    "E_STORE_CORRUPT",
    `${db.name}: the store is damaged; stop, keep the file, and restore the latest backup (${String(found)})`,
  );
}

/** The number of rows in each table, without SQLite's own tables. */
export function tableCounts(db: Database): Record<string, number> {
  const names = db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name",
    )
    .pluck()
    .all();
  return Object.fromEntries(
    names.map((name) => [name, db.prepare<[], number>(`SELECT count(*) FROM "${name}"`).pluck().get() ?? 0]),
  );
}
