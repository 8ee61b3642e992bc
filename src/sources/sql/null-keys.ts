import { sql } from "kysely";
import { ParkError } from "#model";
import type { Database } from "./database.ts";
import type { Layout } from "./layout.ts";

/**
 * Refuses a table with a NULL in a key: databases disagree on where such rows come in the order, so that no page would
 * show them for certain, and a record without a key is none.
 * @throws {ParkError} E_SOURCE_KEY_NULL
 */
export async function refuseEmptyKeys(database: Database, layout: Layout, signal: AbortSignal): Promise<void> {
  const empty = sql.join(
    layout.key.map((column) => sql`${sql.id(column.name)} is null`),
    sql` or `,
  );
  const { rows } = await database.ask(
    sql`select count(*) from ${layout.from} where ${layout.condition} and (${empty})`,
    signal,
  );
  const count = Number(rows[0]?.[0] ?? 0);
  if (count === 0) return;
  const names = layout.key.map(({ name }) => name);
  throw new ParkError(
    "E_SOURCE_KEY_NULL",
    `${layout.label} has ${count} rows whose key (${names.join(", ")}) is NULL: leave them out with \`where\``,
    { details: { table: layout.label, columns: names, count } },
  );
}
