import { RetryError, counted, type JsonObject, type ResourceName } from "#model";
import type { ServiceDialect } from "#settings";
import { serviceIdOf } from "../dialect/values.ts";
import type { Page } from "./reading.ts";

/** Which rows of a list to read. */
export interface Place {
  readonly limit: number;
  readonly offset: number;
}

type ReadPage = (place: Place) => Promise<Page>;

/** How often rows may move during a walk before it gives up: the list then changes faster than it can be read. */
const MOVES_ALLOWED = 20;

/**
 * Walks a list to its end and yields each record once, by the dialect's way of paging.
 * @throws {RetryError} E_LIST_UNSTABLE when the server ignores where a page begins, hides rows that it counts, or the
 * list never settles.
 */
export function walk(resource: ResourceName, read: ReadPage, dialect: ServiceDialect): AsyncGenerator<JsonObject[]> {
  if (dialect.paging.kind === "none") return wholeList(resource, read, dialect.pageSize);
  return dialect.paging.kind === "offset"
    ? byOffset(resource, read, dialect.pageSize)
    : byPage(resource, read, dialect.pageSize);
}

/**
 * Advances by the number of rows received. Each page starts with the last row of the previous one. If it starts with an
 * unknown row instead, rows were removed meanwhile and the later ones moved up, so the walk steps back to a known row.
 * Where rows came twice in place of others, it starts over.
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
      // A total below the number of rows already shown is wrong, and says nothing about the end.
      const isEnd = step.count <= overlap || (offset === page.total && step.count < (page.limit ?? limit));
      if (isEnd && !seen.mayLack(page.total)) return;
      if (isEnd) {
        moves++;
        offset = 0;
      }
    }
  }
  throw unstable(resource, `moved ${MOVES_ALLOWED} times while it was read`);
}

/** Pages by number cannot overlap. A total that falls shows that rows moved up, and the previous page is read again. */
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
      if (total !== undefined && from < total)
        throw unstable(resource, `counts ${counted(total, "record")} but page ${from / limit} of ${limit} is empty`);
      if (!seen.mayLack(total)) return;
      moves++;
      from = 0;
    } else from += limit;
  }
  throw unstable(resource, `moved ${MOVES_ALLOWED} times while it was read`);
}

/**
 * If exactly `limit` rows come back, the list may be complete, or the server obeyed the limit. Asking for one row less
 * tells which.
 */
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
  const { fresh } = new Seen(resource).take(page, 0);
  if (fresh.length > 0) yield fresh;
}

/** What one page added to the walk. */
interface Step {
  readonly count: number;
  /** Rows that no earlier page had. */
  readonly fresh: JsonObject[];
  /** True when the first row was seen before, so that no row between this page and the earlier ones can be missing. */
  readonly beginsKnown: boolean;
  /** True when the page equals the previous one row by row, although another page was requested. */
  readonly repeats: boolean;
}

/** The ids that a walk has seen, and the previous page. */
class Seen {
  readonly #resource: ResourceName;
  readonly #ids = new Set<number>();
  #before = "";
  #showedNew = false;

  constructor(resource: ResourceName) {
    this.#resource = resource;
  }

  /** @throws {RetryError} E_SERVICE_ANSWER when a row has no usable id. */
  take(page: Page, from: number): Step {
    const ids = page.rows.map((row) => this.#identity(row));
    const signature = ids.join();
    const repeats = from > 0 && ids.length > 1 && signature === this.#before;
    this.#before = signature;
    const beginsKnown = ids[0] !== undefined && this.#ids.has(ids[0]);
    const fresh = page.rows.filter((_, at) => {
      const id = ids[at] ?? 0;
      return !this.#ids.has(id) && this.#ids.add(id);
    });
    this.#showedNew ||= fresh.length > 0;
    return { count: ids.length, fresh, beginsKnown, repeats };
  }

  /**
   * Whether, at the end of a list, the count exceeds the records shown, so that another walk may show the rest. A walk
   * that showed nothing new means that the list holds some rows twice.
   */
  mayLack(total: number | undefined): boolean {
    const mayLack = total !== undefined && this.#ids.size < total && this.#showedNew;
    this.#showedNew = false;
    this.forgetPage();
    return mayLack;
  }

  /** The next page may legitimately equal this one. */
  forgetPage(): void {
    this.#before = "";
  }

  /** Sets the row's id to a number, however it was spelled; readers may rely on that. */
  #identity(row: JsonObject): number {
    const id = serviceIdOf(row["id"]);
    if (id !== undefined) return (row["id"] = id);
    const found = JSON.stringify(row["id"] ?? null);
    throw new RetryError(
      "E_SERVICE_ANSWER",
      `the list of ${this.#resource} has a row with id ${found}, expected a positive whole number below 2^53`,
      { details: { resource: this.#resource } },
    );
  }
}

function unstable(resource: ResourceName, what: string): RetryError {
  return new RetryError("E_LIST_UNSTABLE", `the list of ${resource} ${what}`, { details: { resource } });
}
