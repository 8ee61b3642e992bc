import type { Database } from "better-sqlite3";

/** How many rows each table has; SQLite's own tables are left out. */
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
