import { counted, type JsonObject, type ResourceName } from "#model";
import type { Dialect } from "#settings";
import type { Page } from "./reading.ts";
import { Seen, unstable } from "./seen.ts";

/** Which rows of a list to read. */
export interface Place {
  readonly limit: number;
  readonly offset: number;
}

type ReadPage = (place: Place) => Promise<Page>;

/** How often rows may move under a walk before it gives up: the list then changes faster than it can be read. */
const MOVES_ALLOWED = 20;

/**
 * Walks a list to its end and yields each record once, in whatever way the dialect pages.
 * @throws {RetryError} E_LIST_UNSTABLE when the server ignores where a page begins, hides rows that it counts, or the
 * list never settles.
 */
export function walk(resource: ResourceName, read: ReadPage, dialect: Dialect): AsyncGenerator<JsonObject[]> {
  if (dialect.paging.kind === "none") return wholeList(resource, read, dialect.pageSize);
  return dialect.paging.kind === "offset"
    ? byOffset(resource, read, dialect.pageSize)
    : byPage(resource, read, dialect.pageSize);
}

/**
 * Advances by the rows received. Each page begins with the last row of the one before: when it begins with a row that
 * was never seen, rows were removed meanwhile, those behind moved up, and the walk steps back to where it knows the list.
 */
async function* byOffset(resource: ResourceName, read: ReadPage, pageSize: number): AsyncGenerator<JsonObject[]> {
  const seen = new Seen(resource);
  let limit = pageSize;
  let offset = 0;
  for (let moves = 0; moves <= MOVES_ALLOWED;) {
    const overlap = offset > 0 ? 1 : 0;
    const from = offset - overlap;
    const page = await read({ limit, offset: from });
    const step = seen.take(page, from);
    if (step.repeats) throw unstable(resource, `shows the same page again at offset ${from}: is DIALECT_PAGING right?`);
    if (step.fresh.length > 0) yield step.fresh;
    if (step.count <= overlap && page.total !== undefined && page.total > from + step.count) {
      if (limit <= 2)
        throw unstable(resource, `counts ${counted(page.total, "record")} but shows only ${from + step.count}`);
      limit = Math.max(2, Math.floor(limit / 2));
    } else if (overlap > 0 && !step.beginsKnown) {
      moves++;
      offset = Math.max(0, from - pageSize + 1);
      seen.forgetPage();
    } else {
      offset = from + step.count;
      if (step.count <= overlap) return;
      if (page.total !== undefined && offset >= page.total && step.count < (page.limit ?? limit)) return;
    }
  }
  throw unstable(resource, `moved ${MOVES_ALLOWED} times while it was read`);
}

/** Pages by number cannot overlap: a total that falls tells that rows moved up, and the page before is read again. */
async function* byPage(resource: ResourceName, read: ReadPage, limit: number): AsyncGenerator<JsonObject[]> {
  const seen = new Seen(resource);
  let total: number | undefined;
  for (let from = 0, moves = 0; moves <= MOVES_ALLOWED;) {
    const page = await read({ limit, offset: from });
    const step = seen.take(page, from);
    if (step.repeats) throw unstable(resource, `shows the same page again at row ${from}: is DIALECT_PAGING right?`);
    if (step.fresh.length > 0) yield step.fresh;
    const moved = from > 0 && total !== undefined && page.total !== undefined && page.total < total;
    total = page.total;
    if (moved) {
      moves++;
      from -= limit;
      seen.forgetPage();
    } else if (step.count === 0) {
      if (total === undefined || from >= total) return;
      throw unstable(resource, `counts ${counted(total, "record")} but page ${from / limit} of ${limit} is empty`);
    } else from += limit;
  }
  throw unstable(resource, `moved ${MOVES_ALLOWED} times while it was read`);
}

/** Exactly as many rows as were asked for may be all there are, or the limit was obeyed: one row less asked for tells. */
async function* wholeList(resource: ResourceName, read: ReadPage, limit: number): AsyncGenerator<JsonObject[]> {
  const page = await read({ limit, offset: 0 });
  if (page.total === undefined && page.rows.length === limit) {
    const shorter = await read({ limit: limit - 1, offset: 0 });
    if (shorter.rows.length < limit)
      throw unstable(resource, `shows ${limit} records because ${limit} were asked for: is DIALECT_PAGING right?`);
  }
  if (page.total !== undefined && page.total > page.rows.length)
    throw unstable(
      resource,
      `counts ${counted(page.total, "record")} but shows only ${page.rows.length}: is DIALECT_PAGING right?`,
    );
  if (page.rows.length > 0) yield [...page.rows];
}
