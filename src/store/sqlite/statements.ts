import type { Database } from "better-sqlite3";
import type { Dialect, Statement } from "../roles/access.ts";

export const dialect: Dialect = {
  isRecord: "stream = @stream AND key = @key",
  isAfter: "key > @after",
  keyOrder: "key",
  actsOfPeople: "audit INDEXED BY audit_acts",
};

/** Runs a statement and returns its rows. */
export function runStatement<Row>(db: Database, { sql, values = {} }: Statement): Row[] {
  const prepared = db.prepare<[object], Row>(sql);
  if (prepared.reader) return prepared.all(values);
  prepared.run(values);
  return [];
}
