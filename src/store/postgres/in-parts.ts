import type { Step, StepDriver } from "../steps/step.ts";
import type { Database } from "./database.ts";
import type { SqlText, SqlValue } from "./sql.ts";

/** Rows per step, which takes about 50 ms. */
export const AT_ONCE = 2_000;

/** Items of a list per step. */
const ITEMS_AT_ONCE = 1_000;

/** Takes a step for each part of a list: see `ListDriver`. */
export async function takeEach<Item, Facts extends object, Value>(
  driver: StepDriver,
  items: readonly Item[],
  step: (part: readonly Item[], isLast: boolean) => Step<Facts, Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  let from = 0;
  do {
    const part = items.slice(from, from + ITEMS_AT_ONCE);
    from += ITEMS_AT_ONCE;
    values.push(await driver.take(step(part, from >= items.length)));
  } while (from < items.length);
  return values;
}

/** The rows that one step changes. */
interface Part {
  /** Their ids as an array literal, such as `{1,2}`. */
  readonly ids: string;
  readonly last: number;
}

/**
 * Finds very many rows and divides their ids into parts. One step changes each part, so that the steps of all processes can run in between.
 * The rows are found without the lock, so each step must check again whether it should change a row.
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
