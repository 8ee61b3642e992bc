import { ParkError } from "#model";
import type { KeylessRows } from "../../source.ts";
import type { SourceDatabase } from "../database.ts";
import type { TableLayout } from "./layout.ts";
import { sql } from "../sql-text.ts";

/** Up to this many rows without a key are exceptions, however small the table. */
const few = 20;
/** A larger share than this means that the wrong column is the key. */
const share = 0.1;

/** The tables of a stream that may have rows with NULL in their key. Each is counted again until it has none. */
export class Keyless {
  readonly #suspects = new Map<string, TableLayout>();

  /** Notes that the table may have such rows, because it was read whole or a window showed one. */
  suspect(layout: TableLayout): void {
    this.#suspects.set(layout.label, layout);
  }

  /** @throws {ParkError} E_SOURCE_KEY_NULL when there are too many to be exceptions. */
  async rows(database: SourceDatabase, signal: AbortSignal): Promise<readonly KeylessRows[]> {
    const found: KeylessRows[] = [];
    for (const layout of this.#suspects.values()) {
      const count = await countKeyless(database, layout, signal);
      if (count > few) await refuseMany(database, layout, count, signal);
      if (count === 0) this.#suspects.delete(layout.label);
      else found.push({ place: layout.label, reason: reasonOf(layout, count) });
    }
    return found;
  }
}

export async function countKeyless(
  database: SourceDatabase,
  layout: TableLayout,
  signal: AbortSignal,
): Promise<number> {
  if (!layout.keyless) return 0;
  const { rows } = await database.ask(sql`select count(*) from ${layout.from} where ${layout.keyless}`, signal);
  return Number(rows[0]?.[0] ?? 0);
}

export function reasonOf(layout: TableLayout, count: number): string {
  const names = layout.key.map(({ name }) => name).join(", ");
  const rows = count === 1 ? "1 row has" : `${count} rows have`;
  return `${rows} NULL in the key (${names}): give each a key, or leave them out with \`where\``;
}

async function refuseMany(
  database: SourceDatabase,
  layout: TableLayout,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await database.ask(sql`select count(*) from ${layout.from} where ${layout.condition}`, signal);
  if (count <= (count + Number(rows[0]?.[0] ?? 0)) * share) return;
  throw new ParkError("E_SOURCE_KEY_NULL", `${layout.label}: ${reasonOf(layout, count)}`, {
    details: { table: layout.label, columns: layout.key.map(({ name }) => name), count },
  });
}
