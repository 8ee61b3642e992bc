import { ParkError, type Key } from "#model";
import { causeOfMiss, filterMisses, type MissRemedies } from "../../time/filter-miss.ts";
import { wallText, type Wall } from "../stamps/wall.ts";
import type { WireRow, WireTable } from "../table.ts";
import { assertAscending, assertInside } from "./assertions.ts";
import { highestOf, showsKnown, type KnownRow, type Proof } from "./known-rows.ts";
import { walkComplete } from "./walk-keys.ts";

/** A table as it is read by its stamp, and how fine that stamp is, in microseconds. */
interface Stamped {
  readonly table: WireTable;
  readonly unit: number;
}

const MICROS_PER_MS = 1000;

const REMEDIES: MissRemedies = {
  exclusive: "Set `fromExclusive: true` where the adapter has it",
  minutes: "Set `precision: minute`",
  shifted: "Set the source's `timezone`, and the stream's `filterFormat` or `precision` where the adapter has them",
  unknown:
    "the filter may compare texts of another form, or another field. Correct `changed`, the filter's form and the source's `timezone`",
};

/**
 * Asks for exactly the stamp of a row that was read, and expects that row or another one with its stamp. Returns the row with its stamp
 * now, and undefined if the list no longer has it: it was deleted, moved out of the list, or lost its stamp.
 * @throws {ParkError} E_SOURCE_FILTER_MISSES when the list has the row with that stamp, but the answer does not.
 */
export async function proveFilter(
  stamped: Stamped,
  [key, at]: KnownRow,
  signal: AbortSignal,
): Promise<KnownRow | undefined> {
  const { table, unit } = stamped;
  const from = Math.floor(at / unit) * unit;
  if (await answerShows(stamped, [key, at], from, signal)) return [key, at];
  // Read after the answer: if the row still has its stamp, it had it all the time.
  const now = await find(table, key, signal);
  if (now?.stamp === undefined || now.stamp < from) return undefined;
  if (now.stamp >= from + unit) return [key, now.stamp];
  const row = { table: table.name, key, field: table.stampField, stamp: wallText(at) };
  throw filterMisses(row, await cause(stamped, from, signal));
}

/** Proves the filter by the first known row that the list still has, or else by a row of the list's first page. */
export async function proveByKnown(stamped: Stamped, newest: readonly KnownRow[], signal: AbortSignal): Promise<Proof> {
  const gone = new Set<Key>();
  for (const known of newest) {
    const found = await proveFilter(stamped, known, signal);
    if (found !== undefined) return { gone, found };
    gone.add(known[0]);
  }
  const { rows } = await stamped.table.byKey({ kind: "all" }, undefined, signal);
  return { gone, found: await proveByRows(stamped, rows, signal) };
}

/** Proves the filter by one of the list's rows, which were just read. Returns undefined if none of them has a stamp. */
export async function proveByRows(
  stamped: Stamped,
  rows: readonly WireRow[],
  signal: AbortSignal,
): Promise<KnownRow | undefined> {
  const [known] = highestOf([], rows, Number.POSITIVE_INFINITY);
  return known && (await proveFilter(stamped, known, signal));
}

/** Returns the row with this key as the list shows it. Reads the whole list if the record alone cannot be read. */
async function find(table: WireTable, key: Key, signal: AbortSignal): Promise<WireRow | undefined> {
  if (table.find === undefined) return await findInList(table, key, signal);
  try {
    return await table.find(key, signal);
  } catch (thrown) {
    if (thrown instanceof ParkError) return await findInList(table, key, signal);
    throw thrown;
  }
}

/** Returns the row with this key as the list shows it. Reads the list until it is met. */
export async function findInList(table: WireTable, key: Key, signal: AbortSignal): Promise<WireRow | undefined> {
  for await (const rows of walkComplete(table, { kind: "all" }, signal, "record")) {
    const found = rows.find((row) => row.key === key);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function answerShows(
  { table, unit }: Stamped,
  known: KnownRow,
  from: Wall,
  signal: AbortSignal,
): Promise<boolean> {
  if (table.sorted) {
    const { rows } = await table.byStamp({ from }, signal);
    assertInside(table, rows, { from }, unit);
    assertAscending(table, rows);
    return showsKnown(rows, known, unit);
  }
  for await (const rows of walkComplete(table, { kind: "range", range: { from } }, signal)) {
    assertInside(table, rows, { from }, unit);
    if (showsKnown(rows, known, unit)) return true;
  }
  return false;
}

/** Finds out how much earlier the filter must be asked to show rows from `from` on. Each question is one page. */
async function cause({ table, unit }: Stamped, from: Wall, signal: AbortSignal): Promise<string> {
  const reaches = async (shiftMs: number) => {
    const { rows } = await table.byStamp({ from: Math.floor((from - shiftMs * MICROS_PER_MS) / unit) * unit }, signal);
    return rows.some(({ stamp }) => stamp !== undefined && stamp < from + unit);
  };
  return causeOfMiss(unit / MICROS_PER_MS, REMEDIES, table.sorted ? reaches : undefined);
}
