import type { Database } from "./database.ts";
import type { SqlText, SqlValue } from "./sql.ts";

/** Rows that one step touches: some fifty milliseconds. */
export const AT_ONCE = 2_000;

/** Rows that one step is to change. */
interface Part {
  /** Their ids, as a list `{1,2}`. */
  readonly ids: string;
  readonly last: number;
}

/**
 * Finds very many rows, and divides them into parts, by their ids. When one step changes each part, the steps of all replicas have their
 * turn in between. They are found without the lock, so a step looks again whether it is to change a row.
 */
export async function partsOf(
  db: Database,
  id: string,
  from: SqlText,
  values: Readonly<Record<string, SqlValue>>,
): Promise<Part[]> {
  const found = `SELECT ${id} AS id, (row_number() OVER (ORDER BY ${id}) - 1) / ${AT_ONCE} AS part FROM ${from}`;
  const parts = `SELECT array_agg(id)::text AS ids, max(id) AS last FROM (${found}) found GROUP BY part ORDER BY part`;
  return await db.read<Part>(parts, values);
}
