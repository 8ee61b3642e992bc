import { contentHash, ParkError, RetryError, SyncError, type Json, type Key } from "#model";
import { assertGoesOn } from "./assertions.ts";
import { EmptyPages } from "./paging.ts";
import type { KeyPage, Scope, WireRow, WireTable } from "../table.ts";

const MAX_PASSES = 8;
/** Pages that are counted off may come again when rows move between them, but not so many in a row. */
const MOST_AGAIN = 100;
/** What no other place in the list would mend. */
const OF_THE_WHOLE_ERP = new Set(["E_SOURCE_UNREACHABLE", "E_SOURCE_BUSY", "E_SOURCE_LOGIN"]);

/**
 * Reads a scope page by page, beginning after `after`. One pass: complete where the table pages by comparing keys.
 * @throws {ParkError} E_SOURCE_PAGING when the same page comes twice: the ERP does not page as it was asked to;
 * E_SOURCE_UNSORTED when it does not compare keys in the order in which it sorts them.
 */
export async function* walkByKey(
  table: WireTable,
  scope: Scope,
  after: Json | undefined,
  signal: AbortSignal,
  keysOnly = false,
): AsyncGenerator<KeyPage> {
  const read = new Set<string>();
  let last: string | undefined;
  let again = 0;
  const empty = new EmptyPages(table.name);
  let before: ReadonlySet<Key> = new Set();
  for (let at = after; ;) {
    signal.throwIfAborted();
    const page =
      at === after
        ? await firstPage(table, scope, after, signal, keysOnly)
        : await table.byKey(scope, at, signal, keysOnly);
    if (page.rows.length > 0) {
      const name = outline(page);
      again = read.has(name) ? again + 1 : 0;
      if (name === last || again >= (table.keyset ? 1 : MOST_AGAIN))
        throw new ParkError(
          "E_SOURCE_PAGING",
          `${table.name}: the ERP gave the same page of ${page.rows.length} rows twice`,
        );
      read.add(name);
      last = name;
    }
    if (table.keyset) before = assertGoesOn(table, page.rows, before);
    yield page;
    if (page.next === undefined) return;
    await empty.pass(page.rows.length, signal);
    at = page.next;
  }
}

/**
 * Reads the first page. A place that the ERP handed out may be unknown to it when a later poll continues there: the list then
 * starts over.
 */
async function firstPage(
  table: WireTable,
  scope: Scope,
  after: Json | undefined,
  signal: AbortSignal,
  keysOnly: boolean,
): Promise<KeyPage> {
  try {
    return await table.byKey(scope, after, signal, keysOnly);
  } catch (thrown) {
    const isOfPlace = thrown instanceof SyncError && !OF_THE_WHOLE_ERP.has(thrown.code);
    if (after === undefined || table.keyset || !isOfPlace) throw thrown;
    return await table.byKey(scope, undefined, signal, keysOnly);
  }
}

/** A short text that distinguishes a page from others. */
function outline({ rows }: KeyPage): string {
  return JSON.stringify([rows.length, rows[0]?.key, rows.at(-1)?.key]);
}

/**
 * Reads a scope so that no row which is there throughout is missed, even where pages are counted off and rows move
 * between them: such a table is read again until a whole pass shows nothing new. What comes once is each version of a record, each record in
 * some version, or each key. Of records, new ones before or behind all others hid no other: a busy ERP would never come to rest.
 * @throws {RetryError} E_SOURCE_MOVING when the rows do not come to rest.
 */
export async function* walkComplete(
  table: WireTable,
  scope: Scope,
  signal: AbortSignal,
  once: "version" | "record" | "key" = "version",
): AsyncGenerator<readonly WireRow[]> {
  const keysOnly = once === "key";
  const byKey = once !== "version";
  if (table.keyset) {
    for await (const page of walkByKey(table, scope, undefined, signal, keysOnly)) yield page.rows;
    return;
  }
  const seen = new Set<string>();
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const before = seen.size;
    let pages = 0;
    /** Where new rows came by now: before all known ones, behind all of them, or between two. */
    let place: "head" | "known" | "tail" | "between" = "head";
    for await (const page of walkByKey(table, scope, undefined, signal, keysOnly)) {
      pages++;
      const fresh: WireRow[] = [];
      for (const row of page.rows) {
        const isFresh = firstSight(seen, row, byKey);
        if (isFresh) fresh.push(row);
        if (isFresh && place === "known") place = "tail";
        else if (!isFresh && place !== "between") place = place === "tail" ? "between" : "known";
      }
      if (fresh.length > 0) yield fresh;
    }
    const isAtEnds = byKey && pass > 1 && place !== "between";
    if (seen.size === before || isAtEnds || (pass === 1 && pages === 1)) return;
  }
  throw new RetryError(
    "E_SOURCE_MOVING",
    `${table.name}: rows kept moving between pages; ${MAX_PASSES} readings did not show the same rows twice`,
  );
}

/** Records that a row was seen, and returns true the first time. With `byKey`, all versions of a record are the same. */
export function firstSight(seen: Set<string>, row: WireRow, byKey = false): boolean {
  const name = byKey ? row.key : sightOf(row);
  if (seen.has(name)) return false;
  seen.add(name);
  return true;
}

/** Identifies a version of a row: two reads of the same version give the same text. */
export function sightOf({ key, row, odd }: WireRow): string {
  if (odd !== undefined) return `${key}\u0000${odd.reason}`;
  return `${key}\u0000${contentHash({ kind: "upsert", key, row })}`;
}
