import { DAY_MS, HOUR_MS, RetryError, type JsonObject, type ResourceName } from "#model";
import type { Logger } from "#telemetry";
import { instantOf } from "../dialect/values.ts";
import type { ListQuery, Lists } from "../reads/lists.ts";
import { isRefusal } from "../transport/failures.ts";
import type { ListFilter } from "./queries.ts";

type FilterName = ListFilter["name"];

/** The field of a row that shows whether the filter holds for it. */
const FIELDS: Readonly<Record<FilterName, string>> = { approvedSince: "approvedDate", finishedSince: "finishedDate" };

/** Asking for a moment this far ahead must give nothing. */
const AHEAD_MS = 10 * 365 * DAY_MS;

/** After this time, a filter that could not be proven is tried again: there may be an approved record now. */
const TRY_AGAIN_MS = HOUR_MS;

/**
 * Lists that a filter narrows. Unknown filters are ignored by the service, with the full list as the answer, so each is tried with canaries before
 * it is used, and every row is checked while it is used.
 */
export class Filters {
  readonly #lists: Pick<Lists, "page" | "pages">;
  readonly #now: () => number;
  readonly #logger: Logger;
  readonly #verdicts = new Map<string, { readonly works: boolean; readonly until: number }>();

  constructor(lists: Pick<Lists, "page" | "pages">, now: () => number, logger: Logger) {
    this.#lists = lists;
    this.#now = now;
    this.#logger = logger;
  }

  /** Whether the filter may be used now. Asks up to three short questions where that is not known. */
  async works(resource: ResourceName, name: FilterName, signal: AbortSignal): Promise<boolean> {
    const known = this.#verdicts.get(`${resource} ${name}`);
    if (known !== undefined && this.#now() < known.until) return known.works;
    const works = await this.#prove(resource, name, signal);
    this.#keep(resource, name, works, works ? Infinity : this.#now() + TRY_AGAIN_MS);
    return works;
  }

  /**
   * The records that the filter shows.
   * @throws {RetryError} E_RETURN_CANARY when a row shows that the filter does not work: it is not used again.
   */
  async *list(
    resource: ResourceName,
    filter: ListFilter,
    fields: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<JsonObject[]> {
    const query: ListQuery = { fields: [...fields, FIELDS[filter.name]], filter: parameters(filter) };
    for await (const rows of this.#lists.pages(resource, query, signal)) {
      const wrong = rows.find((row) => !holds(filter, row));
      if (wrong !== undefined) throw this.distrust(resource, filter.name, `it shows ${JSON.stringify(wrong["id"])}`);
      yield rows;
    }
  }

  /** The filter was seen to be wrong: it is not used again by this process. */
  distrust(resource: ResourceName, name: FilterName, found: string): RetryError {
    this.#keep(resource, name, false, Infinity);
    const error = new RetryError("E_RETURN_CANARY", `the filter ${name} of ${resource} does not work: ${found}`, {
      details: { resource, filter: name },
    });
    this.#logger.warn({ resource, filter: name, found }, "filter of the service is wrong and no longer used");
    return error;
  }

  async #prove(resource: ResourceName, name: FilterName, signal: AbortSignal): Promise<boolean> {
    const field = FIELDS[name];
    const first = async (since: number) => {
      const place = { limit: 1, offset: 0 };
      const query = { fields: [field], filter: parameters({ name, since }) };
      const { rows, total } = await this.#lists.page(resource, query, place, signal);
      const at = instantOf(rows[0]?.[field]);
      return { at: at !== undefined && at >= since ? at : undefined, isEmpty: rows.length === 0 && (total ?? 0) === 0 };
    };
    try {
      if (!(await first(this.#now() + AHEAD_MS)).isEmpty) return false;
      const { at } = await first(0);
      // The record itself must be found from its own moment on.
      return at !== undefined && (await first(at)).at !== undefined;
    } catch (thrown) {
      if (isRefusal(thrown)) return false;
      throw thrown;
    }
  }

  #keep(resource: ResourceName, name: FilterName, works: boolean, until: number): void {
    this.#verdicts.set(`${resource} ${name}`, { works, until });
    this.#logger.debug({ resource, filter: name, works }, "filter of the service was tried");
  }
}

function parameters({ name, since }: ListFilter): Readonly<Record<string, string>> {
  return { [name]: new Date(since).toISOString() };
}

/** A row that does not show the field proves nothing, and counts as wrong. */
function holds({ name, since }: ListFilter, row: JsonObject): boolean {
  const at = instantOf(row[FIELDS[name]]);
  return at !== undefined && at >= since;
}
