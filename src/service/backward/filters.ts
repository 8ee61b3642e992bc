import { RetryError, type JsonObject, type ResourceName } from "#model";
import type { Logger } from "#telemetry";
import { instantOf } from "../dialect/values.ts";
import type { ListQuery, Lists } from "../reads/lists.ts";
import { isRefusal } from "../transport/failures.ts";

/** A filter of a list that documents name, and that no tenant was seen to obey. */
export type ListFilter =
  | { readonly name: "approvedSince" | "finishedSince"; readonly since: number }
  | { readonly name: "status"; readonly word: "approved" };

type FilterName = ListFilter["name"];

interface FilterFacts {
  /** The field of a row that shows whether the filter holds for it. */
  readonly field: string;
  /** A question that no record can answer. */
  readonly nothing: (now: number) => Readonly<Record<string, string>>;
  /** A question that every finished tenant can answer. */
  readonly something: ListFilter;
}

const TEN_YEARS_MS = 315_360_000_000;

/** Asking for a moment far ahead must give nothing. */
const since = (name: "approvedSince" | "finishedSince", field: string): FilterFacts => ({
  field,
  nothing: (now) => ({ [name]: new Date(now + TEN_YEARS_MS).toISOString() }),
  something: { name, since: 0 },
});

const FACTS: Readonly<Record<FilterName, FilterFacts>> = {
  approvedSince: since("approvedSince", "approvedDate"),
  finishedSince: since("finishedSince", "finishedDate"),
  status: {
    field: "approved",
    nothing: () => ({ status: "approved", notStatus: "approved" }),
    something: { name: "status", word: "approved" },
  },
};

/** After this time, a filter that could not be proven is tried again: there may be an approved record now. */
const TRY_AGAIN_MS = 3_600_000;

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
    const query: ListQuery = { fields: [...fields, FACTS[filter.name].field], filter: parameters(filter) };
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
    const { field, nothing, something } = FACTS[name];
    const first = async (filter: Readonly<Record<string, string>>) => {
      const place = { limit: 1, offset: 0 };
      const { rows, total } = await this.#lists.page(resource, { fields: [field], filter }, place, signal);
      return { row: rows[0], isEmpty: rows.length === 0 && (total ?? 0) === 0 };
    };
    try {
      if (!(await first(nothing(this.#now()))).isEmpty) return false;
      const { row } = await first(parameters(something));
      if (row === undefined || !holds(something, row)) return false;
      const at = instantOf(row[field]);
      if (name === "status" || at === undefined) return name === "status";
      // The record itself must be found from its own moment on, and from no later one.
      const from = await first(parameters({ name, since: at }));
      return from.row !== undefined && holds({ name, since: at }, from.row);
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

function parameters(filter: ListFilter): Readonly<Record<string, string>> {
  if (filter.name === "status") return { status: filter.word };
  return { [filter.name]: new Date(filter.since).toISOString() };
}

/** A row that does not show the field proves nothing, and counts as wrong. */
function holds(filter: ListFilter, row: JsonObject): boolean {
  const value = row[FACTS[filter.name].field];
  if (filter.name === "status") return value === true;
  const at = instantOf(value);
  return at !== undefined && at >= filter.since;
}
