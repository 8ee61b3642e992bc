import { ParkError, type JsonObject, type Key } from "#model";
import { PRECISIONS } from "../stamps/stamp-format.ts";
import { jsonText, valueAt } from "../stamps/values.ts";
import type { WireRow, WireTable } from "../table.ts";
import { wallText, type Wall, type WallRange } from "../stamps/wall.ts";

/**
 * Asserts that every row lies in the requested range. `from` is compared in whole units, because a stamp may be coarser on the
 * wire. A row exactly at the upper bound passes, because some systems include it.
 * @throws {ParkError} E_SOURCE_FILTER_IGNORED, before anything of the answer is used.
 */
export function assertInside(table: WireTable, rows: readonly WireRow[], range: WallRange, unit: number): void {
  const from = range.from === undefined ? undefined : Math.floor(range.from / unit) * unit;
  for (const { key, stamp, odd } of rows) {
    if (odd !== undefined && stamp === undefined) continue;
    const late = table.bounded && range.below !== undefined && stamp !== undefined && stamp > range.below;
    if (stamp === undefined && from === undefined && range.below === undefined) continue;
    if (stamp === undefined)
      throw new ParkError(
        "E_SOURCE_STAMP",
        `${table.name}: the row ${key} has no ${table.stampField}, though rows with a stamp were asked for`,
      );
    if (late || (from !== undefined && stamp < from)) throw outside(table, key, stamp, range);
  }
}

/**
 * Asserts that rows come in the order of their stamps. Returns the last stamp; undefined if no row has one.
 * @throws {ParkError} E_SOURCE_UNSORTED, because continuing after the last row of such a page would skip rows.
 */
export function assertAscending(table: WireTable, rows: readonly WireRow[]): Wall | undefined {
  let last: Wall | undefined;
  for (const { key, stamp } of rows) {
    if (last !== undefined && stamp !== undefined && stamp < last)
      throw new ParkError(
        "E_SOURCE_UNSORTED",
        `${table.name}: the row ${key} with ${table.stampField} ${wallText(stamp)} came after one with ` +
          `${wallText(last)}, but rows sorted by ${table.stampField} were asked for`,
      );
    last = stamp ?? last;
  }
  return last;
}

/** One row may come again: some systems begin a page at the key that they were told, not behind it. Two records may share a key. */
const AGAIN = { rows: 1, share: 0.1 };

/**
 * A page that continues after a key brings other rows than the one before it, whose keys are `before`; the keys of this page.
 * @throws {ParkError} E_SOURCE_UNSORTED: where keys are compared in another order than they are sorted, pages skip rows.
 */
export function assertGoesOn(
  { name }: WireTable,
  rows: readonly WireRow[],
  before: ReadonlySet<Key>,
): ReadonlySet<Key> {
  const keys = new Set(rows.map(({ key }) => key));
  const again = keys.intersection(before).size;
  if (again > AGAIN.rows && again > keys.size * AGAIN.share)
    throw new ParkError(
      "E_SOURCE_UNSORTED",
      `${name}: ${again} of ${keys.size} rows of a page stood on the page before it: the ERP does not compare keys in the order in which it ` +
        "sorts them. Let pages be counted off: set `pageBy: link`, or leave `after` out",
    );
  return keys;
}

/**
 * Asserts that numeric keys come in order, as numbers or as texts. Only the ERP knows how it sorts other keys.
 * @throws {ParkError} E_SOURCE_UNSORTED, because rows before the last key of such a page would be skipped and count as deleted.
 */
export function assertKeysSorted(name: string, rows: readonly JsonObject[], field: string, remedy: string): void {
  const keys = rows.map((row) => jsonText(valueAt(row, field)));
  if (!keys.every((one) => /^\d{1,15}$/.test(one))) return;
  const isSorted = (isBefore: (a: string, b: string) => boolean) =>
    keys.every((one, at) => at === 0 || !isBefore(one, keys[at - 1]!));
  if (isSorted((a, b) => Number(a) < Number(b)) || isSorted((a, b) => a < b)) return;
  throw new ParkError(
    "E_SOURCE_UNSORTED",
    `${name}: pages continue after their last key, but are not sorted by ${field}: ${remedy}`,
    { details: { path: name, key: field } },
  );
}

function outside(table: WireTable, key: string, stamp: Wall, range: WallRange): ParkError {
  return new ParkError(
    "E_SOURCE_FILTER_IGNORED",
    `${table.name}: rows with ${table.stampField} from ${boundText(range.from, "the beginning")} to before ` +
      `${boundText(range.below, "the future")} were asked for, but the row ${key} has ${wallText(stamp)}: ${causeOf(stamp, range)}; nothing of ` +
      "this answer was used",
    { details: { key, stampField: table.stampField } },
  );
}

/** Rows of the minute that was asked for show a filter that compares whole minutes. */
function causeOf(stamp: Wall, { from }: WallRange): string {
  if (
    from === undefined ||
    stamp > from ||
    Math.floor(stamp / PRECISIONS.minute) !== Math.floor(from / PRECISIONS.minute)
  )
    return "the filter was ignored or the time zone is wrong";
  return "the filter compares whole minutes. Set `precision: minute`";
}

function boundText(wall: Wall | undefined, open: string): string {
  return wall === undefined ? open : wallText(wall);
}
