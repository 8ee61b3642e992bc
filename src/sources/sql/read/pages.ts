import { createHash } from "node:crypto";
import { ParkError } from "#model";
import type { SourceDatabase } from "../database.ts";
import type { SqlCell, Column } from "../engines/engine.ts";
import { allOf, sqlList, sql, type Sql } from "../sql-text.ts";
import type { TableLayout } from "./layout.ts";
import { compareTuple, ordered } from "./tuple.ts";

/** If more rows than this have the same values in the columns that order them, by the database's comparison, these are not a key. */
const equalRowsLimit = 200_000;

/**
 * The most that the cells of a page may weigh, in bytes, whatever the number of rows. Rows are held several times on their way into
 * the store.
 */
const pageBytes = 8_000_000;
/** The most that rows which are equal to the database may weigh, in bytes. */
const equalBytesLimit = 32 * pageBytes;
/** The longest text by which a row is remembered. Longer rows are remembered by their hash. */
const rememberedText = 1_000;

export interface PageRequest {
  readonly layout: TableLayout;
  /** The columns to fetch; the order columns are among them. */
  readonly columns: readonly Column[];
  readonly conditions: readonly Sql[];
  /** Where the rows begin, in their order. Only the first page uses it: all others begin where the one before ended. */
  readonly above?: Sql | undefined;
  readonly order: readonly Column[];
  readonly pageSize: number;
  /** Where an earlier run stopped. Rows are read from there on, including that one. */
  readonly from?: readonly SqlCell[] | undefined;
}

export interface RowPage {
  /** The requested columns, and one more that has no meaning elsewhere. */
  readonly rows: readonly (readonly SqlCell[])[];
  /** The order columns of the last row. */
  readonly position: readonly SqlCell[];
}

/**
 * Reads rows in order, page by page, each page with a short statement of its own. A page begins *at* the last row of the one
 * before, not after it, so that rows that are equal to the database (one stamp, or keys that differ only in case) are never lost at
 * a page border. A row that was already returned is not returned again, unless it was changed meanwhile.
 * @throws {ParkError} E_SOURCE_KEY_AMBIGUOUS when equal rows do not end.
 */
export async function* readPages(
  database: SourceDatabase,
  request: PageRequest,
  signal: AbortSignal,
): AsyncGenerator<RowPage> {
  const leaving = new AbortController();
  const pages = inTurn(database, request, AbortSignal.any([signal, leaving.signal]));
  try {
    for (let next = pages.next(); ;) {
      const page = await next;
      if (page.done === true) return;
      // The database works on the next page while this one is stored.
      next = pages.next();
      next.catch(() => undefined);
      yield page.value;
    }
  } finally {
    // A reader that needs no more pages does not wait for the next one.
    leaving.abort();
  }
}

async function* inTurn(database: SourceDatabase, request: PageRequest, signal: AbortSignal): AsyncGenerator<RowPage> {
  const places = request.order.map((column) => request.columns.indexOf(column));
  let position = request.from;
  const { length } = request.columns;
  const given = new Given(length);
  let limit = request.pageSize + 1;
  let maxBytes = pageBytes;
  for (;;) {
    const answer = await database.ask(pageQuery(database, request, position, limit), signal, maxBytes);
    const { rows } = answer;
    // Only a row that the database calls equal to the last one can have been returned before.
    const fresh = rows.filter((row) => row[length] === null || !given.has(row));
    const isBeyond = position === undefined || rows.at(-1)?.[length] === null;
    given.add(rows, isBeyond);
    const last = rows.at(-1);
    if (last && fresh.length > 0) {
      position = places.map((place) => last[place] ?? null);
      yield { rows: fresh, position };
    }
    if (rows.length < limit && !answer.isCut) return;
    if (isBeyond) [limit, maxBytes] = [request.pageSize + 1, pageBytes];
    else if (answer.isCut) maxBytes *= 2;
    else limit *= 2;
    if (limit > equalRowsLimit || maxBytes > equalBytesLimit) throw ambiguous(request.layout.label, limit);
  }
}

/**
 * Builds the query of a page. Its extra column is null, which costs least, in rows that come after `position` by the database's own
 * order.
 */
function pageQuery(
  database: SourceDatabase,
  request: PageRequest,
  position: readonly SqlCell[] | undefined,
  limit: number,
): Sql {
  const { layout, columns, order } = request;
  const { engine } = database;
  // ORDER BY prefers these names to those of columns, so no table may have a column with one of them.
  const names = columns.map((column, at) => sql`${engine.exact(column)} as ${sql.id(`svcsync cell ${at}`)}`);
  const beyond = position
    ? sql`case when ${compareTuple(engine, order, ">", position)} then null else 1 end`
    : sql`null`;
  // With both bounds a database may begin at the lower one, and read all earlier pages again.
  const begin = position ? compareTuple(engine, order, ">=", position) : request.above;
  const conditions = [layout.condition, ...(begin ? [begin] : []), ...request.conditions];
  const orderBy = sqlList(order.map((column) => ordered(engine, column)));
  return sql`select ${sqlList(names)}, ${beyond} as ${sql.id("svcsync beyond")} from ${layout.from} where ${allOf(conditions)} order by ${orderBy} ${engine.limit(limit)}`;
}

/** The rows of the last page, and of the pages before it that ended at the same place. */
class Given {
  readonly #length: number;
  #rows: RowPage["rows"] = [];
  #names: Set<string> | undefined;

  /** `length` is the number of cells in a row. */
  constructor(length: number) {
    this.#length = length;
  }

  /**
   * Whether the row was returned before. Nearly always it is the last row, with which the next page begins; only others are looked
   * up by name.
   */
  has(row: readonly SqlCell[]): boolean {
    const last = this.#rows.at(-1);
    const isLast = last !== undefined && row.every((cell, at) => at >= this.#length || cell === last[at]);
    return isLast || this.#allNames().has(this.#nameOf(row));
  }

  /**
   * Adds a page. `isBeyond` says that it passed everything before it. Rows that are equal to the database come in any order, in
   * another one each time, so none is forgotten before all are passed.
   */
  add(rows: RowPage["rows"], isBeyond: boolean): void {
    this.#names = isBeyond ? undefined : new Set([...this.#allNames(), ...rows.map((row) => this.#nameOf(row))]);
    this.#rows = rows;
  }

  #allNames(): Set<string> {
    return (this.#names ??= new Set(this.#rows.map((row) => this.#nameOf(row))));
  }

  /** Returns a name that is the same for equal rows. */
  #nameOf(row: readonly SqlCell[]): string {
    const cells = row.slice(0, this.#length);
    const text = cells.map((cell) => (cell === null ? "\u0000" : `${typeof cell}${String(cell)}`)).join("\u0001");
    return text.length <= rememberedText ? text : createHash("sha256").update(text).digest("base64");
  }
}

function ambiguous(label: string, count: number): ParkError {
  return new ParkError(
    "E_SOURCE_KEY_AMBIGUOUS",
    `${label} has more rows with the same key and stamp than fit into a page (${count})`,
    {
      details: { table: label },
    },
  );
}
