import type { Json } from "#model";
import { assertAscending, assertInside } from "./assertions.ts";
import { showsKnown, type KnownRow } from "./known-rows.ts";
import { proveFilter } from "./prove-filter.ts";
import type { WireRow, WireTable } from "../table.ts";
import { firstSight, sightOf, walkByKey, walkComplete } from "./walk-keys.ts";
import type { Wall, WallRange } from "../stamps/wall.ts";

/** The position of a walk: at the beginning of a stamp, or among the rows that share one, after a key. */
export interface WalkPosition {
  readonly at: Wall;
  readonly tied?: boolean | undefined;
  readonly after?: Json | undefined;
}

/** How many pages are read beyond the present: enough for rows stamped in the future, and a limit for a busy table. */
const PAGES_AHEAD = 16;

/** Some rows, and where to continue: at `place`, or at the beginning of the range without one. A walk does not continue after `done`. */
export interface WalkStep {
  readonly rows: readonly WireRow[];
  readonly place?: WalkPosition;
  readonly done?: true;
}

/**
 * Walks a range of stamps, oldest first. Every request names the stamp that it begins at, so rows that change meanwhile leave the
 * range without moving others. The last stamp of a page is read again, inclusively and in whole units, so that a stamp that is
 * coarser on the wire than in the database hides nothing. A page that does not get past one unit is read by key. If others write
 * faster than pages are read, the walk ends some pages beyond `present`, and the next walk begins before that. Of the rows with the stamp
 * `known`, which were read before, one page is enough.
 */
export async function* walkByStamp(
  table: WireTable,
  range: WallRange,
  unit: number,
  start: WalkPosition | undefined,
  signal: AbortSignal,
  { present = Number.POSITIVE_INFINITY, known }: { present?: Wall; known?: Wall | undefined } = {},
): AsyncGenerator<WalkStep> {
  let pagesAhead = 0;
  if (!table.sorted) {
    yield* inAnyOrder(table, range, unit, signal);
    return;
  }
  let from = start?.at ?? range.from;
  let tied = start?.tied ?? false;
  let after = start?.after;
  let seen = new Set<string>();
  /** The last row of the page before, with whose stamp this page begins. */
  let border: KnownRow | undefined;
  while (from === undefined || range.below === undefined || from < range.below) {
    signal.throwIfAborted();
    if (tied && from !== undefined) {
      for await (const step of tiedRows(table, from, unit, after, signal))
        yield { ...step, rows: step.rows.filter((row) => !seen.has(sightOf(row))) };
      from += unit;
      tied = false;
      after = border = undefined;
      seen = new Set();
      continue;
    }
    const asked: WallRange = { ...range, ...(from === undefined ? {} : { from }) };
    const { rows, more } = await table.byStamp(asked, signal);
    assertInside(table, rows, asked, unit);
    const last = assertAscending(table, rows);
    if (border !== undefined && !showsKnown(rows, border, unit)) await proveFilter({ table, unit }, border, signal);
    const fresh = rows.filter((row) => firstSight(seen, row));
    if (last !== undefined && last > present) pagesAhead++;
    if (!more || pagesAhead >= PAGES_AHEAD) {
      yield { rows: fresh, done: true };
      return;
    }
    if (last === undefined) {
      yield* inAnyOrder(table, asked, unit, signal);
      return;
    }
    const boundary = Math.floor(last / unit) * unit;
    if (from !== undefined && boundary <= from && from === known) {
      from += unit;
      border = undefined;
      seen = new Set();
      yield { rows: fresh, place: { at: from } };
      continue;
    }
    if (from !== undefined && boundary <= from) {
      tied = true;
      yield { rows: fresh, place: { at: from, tied } };
      continue;
    }
    from = boundary;
    border = [rows.findLast(({ stamp }) => stamp !== undefined)!.key, last];
    seen = new Set();
    for (const row of rows) if ((row.stamp ?? 0) >= boundary) firstSight(seen, row);
    yield { rows: fresh, place: { at: from } };
  }
  yield { rows: [], done: true };
}

/** Reads a whole range, for tables that do not sort, or that sort empty stamps to the front. */
async function* inAnyOrder(
  table: WireTable,
  range: WallRange,
  unit: number,
  signal: AbortSignal,
): AsyncGenerator<WalkStep> {
  for await (const rows of walkComplete(table, { kind: "range", range }, signal)) {
    assertInside(table, rows, range, unit);
    yield { rows };
  }
  yield { rows: [], done: true };
}

/** Reads all rows whose stamp lies in one unit, by key. If keys cannot be compared, reads until nothing new shows up. */
async function* tiedRows(
  table: WireTable,
  at: Wall,
  unit: number,
  after: Json | undefined,
  signal: AbortSignal,
): AsyncGenerator<WalkStep> {
  const scope = { kind: "range", range: { from: at, below: at + unit } } as const;
  if (!table.keyset) {
    for await (const rows of walkComplete(table, scope, signal)) {
      assertInside(table, rows, scope.range, unit);
      yield { rows, place: { at, tied: true } };
    }
    return;
  }
  for await (const { rows, next } of walkByKey(table, scope, after, signal)) {
    assertInside(table, rows, scope.range, unit);
    yield { rows, place: next === undefined ? { at: at + unit } : { at, tied: true, after: next } };
  }
}
