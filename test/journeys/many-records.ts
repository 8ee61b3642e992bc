import { join } from "node:path";
import Database, { type Database as Open } from "better-sqlite3";
import type { Stage } from "./stage.ts";

type Cells = Record<string, string | number | null>;

/** Of each record: the table, and its column that names the record. */
const tables = { records: "id", contents: "record", written: "record", bindings: "record" } as const;

/**
 * Makes `count` records of the only one in the store of a stage at rest, as if each had been read and delivered like it: a
 * key that its texts contain is theirs in the copies.
 */
export function multiplyRecord({ dataDir }: Pick<Stage, "dataDir">, key: string, count: number): void {
  const db = new Database(join(dataDir, "svcsync.db"));
  try {
    db.transaction(() => {
      for (const [table, column] of Object.entries(tables)) multiplyRow(db, table, column, key, count);
    })();
  } finally {
    db.close();
  }
}

function multiplyRow(db: Open, table: string, column: string, key: string, count: number): void {
  const row = db.prepare<[], Cells>(`SELECT * FROM ${table}`).get();
  if (row === undefined) return;
  const names = Object.keys(row);
  const insert = db.prepare(
    `INSERT INTO ${table} (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`,
  );
  for (let at = 1; at < count; at++) {
    const copy = Object.entries(row).map(([name, value]) => {
      const isNumbered = name === column || name === "service_id";
      if (isNumbered && typeof value === "number") return [name, value + at];
      return [name, typeof value === "string" ? value.replaceAll(key, `${key}-${at}`) : value];
    });
    insert.run(Object.fromEntries(copy));
  }
}
