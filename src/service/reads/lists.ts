import { setImmediate as nextTurn } from "node:timers/promises";
import { RetryError, type JsonObject, type ResourceName } from "#model";
import { resourceFacts } from "../catalogue/catalogue.ts";
import { fieldsParameter, type CustomFields } from "../dialect/custom-fields.ts";
import { serviceIdOf, instantOf } from "../dialect/values.ts";
import { ServiceRefusal } from "../transport/failures.ts";
import { insteadOf, pageIn, type Page } from "./reading.ts";
import type { ReadDeps, Records } from "./records.ts";
import { walk, type Place } from "./walk.ts";

/** Rows passed on at once. */
const MOST_ROWS = 200;
/** Larger pages of these lists come back empty, without an error. */
const LARGEST_PAGE: Readonly<Record<ResourceName, number>> = { invoice: 100 };

export interface ListQuery {
  readonly fields: readonly string[];
  /** Epoch milliseconds. */
  readonly changedSince?: number;
  /** A parameter that narrows the list, in the tenant's spelling. Nothing checks the rows. */
  readonly filter?: Readonly<Record<string, string>>;
}

/** Reads lists whole, every record once. */
export class Lists {
  readonly #deps: ReadDeps;
  readonly #customFields: CustomFields;
  readonly #records: Pick<Records, "refused">;

  constructor(deps: ReadDeps, customFields: CustomFields, records: Pick<Records, "refused">) {
    this.#deps = deps;
    this.#customFields = customFields;
    this.#records = records;
  }

  /**
   * All records of a resource. Where its path is nested, reads the children of each parent.
   * @throws {RetryError} E_LIST_UNSTABLE when pages do not add up, E_SERVICE_ANSWER when an answer holds no list.
   */
  async *pages(resource: ResourceName, query: ListQuery, signal: AbortSignal): AsyncGenerator<JsonObject[]> {
    const { parent } = resourceFacts(resource);
    if (parent === undefined || !this.#deps.paths.isNested(resource)) yield* this.below(resource, query, {}, signal);
    else
      for await (const records of this.pages(parent.resource, { fields: ["id"] }, signal))
        for (const { id = null } of records) yield* this.below(resource, query, { [parent.field]: id }, signal);
  }

  /** One list; below the record that `above` names, if any. */
  async *below(
    resource: ResourceName,
    query: ListQuery,
    above: JsonObject,
    signal: AbortSignal,
  ): AsyncGenerator<JsonObject[]> {
    const { paths, dialect } = this.#deps;
    const read = (place: Place) => this.page(resource, query, place, signal, above);
    const pageSize = Math.min(dialect.pageSize, LARGEST_PAGE[resource] ?? Infinity);
    for await (const rows of inPieces(walk(resource, read, { ...dialect, pageSize }))) {
      for (const row of paths.isNested(resource) ? rows : []) {
        for (const [field, id] of Object.entries(above)) row[field] ??= id;
        paths.remember(resource, serviceIdOf(row["id"]) ?? 0, row);
      }
      const kept = rows.filter((row) => isChangedSince(row, query.changedSince));
      await this.#customFields.spread(resource, kept, query.fields, signal);
      if (kept.length > 0) yield kept;
    }
  }

  /** One page, unchecked; of a nested path, below the record that `above` names. */
  async page(
    resource: ResourceName,
    query: ListQuery,
    place: Place,
    signal: AbortSignal,
    above: JsonObject = {},
  ): Promise<Page> {
    const { transport, paths, dialect, brand } = this.#deps;
    const call = {
      method: "GET",
      resource,
      url: await paths.collection(resource, above),
      query: this.#parameters(resource, query, place),
      repeat: "patient",
      signal,
    } as const;
    const { body } = await transport.send(call).catch(async (thrown: unknown) => {
      if (!(thrown instanceof ServiceRefusal)) throw thrown;
      const { refusal, isParentGone } = await this.#records.refused(resource, above, thrown, signal);
      throw isParentGone ? wentMeanwhile(resource, refusal) : refusal;
    });
    const page = pageIn(body, resource, dialect, brand);
    if (page !== undefined) return page;
    throw new RetryError(
      "E_SERVICE_ANSWER",
      `the answer holds no list of ${resource} (found ${insteadOf(body)}): is DIALECT_LIST_WRAPPER right?`,
      { details: { resource } },
    );
  }

  #parameters(
    resource: ResourceName,
    { fields, changedSince, filter }: ListQuery,
    place: Place,
  ): Record<string, string> {
    const { dialect, brand } = this.#deps;
    const shown = changedSince === undefined ? fields : [...fields, "modified"];
    const parameters: Record<string, string> = {
      ...filter,
      fields: brand.outward(fieldsParameter(shown)),
      limit: String(place.limit),
    };
    if (dialect.paging.kind === "offset") parameters[dialect.paging.parameter] = String(place.offset);
    if (dialect.paging.kind === "page") {
      const pageNumber = place.limit === 0 ? 0 : place.offset / place.limit;
      parameters[dialect.paging.parameter] = String(pageNumber + dialect.paging.first);
    }
    if (dialect.sort !== undefined) parameters[dialect.sort.parameter] = brand.outward(dialect.sort.value);
    if (changedSince !== undefined && resourceFacts(resource).changedSince)
      parameters["changedSince"] = new Date(changedSince).toISOString();
    return parameters;
  }
}

/**
 * Splits large pages: callers process every row of a page at once, and a service that ignores the limit must not block
 * the process.
 */
async function* inPieces(pages: AsyncIterable<JsonObject[]>): AsyncGenerator<JsonObject[]> {
  for await (const rows of pages)
    for (let at = 0; at < rows.length; at += MOST_ROWS) {
      if (at > 0) await nextTurn();
      yield rows.slice(at, at + MOST_ROWS);
    }
}

/** The parent was deleted while its children were listed. The next list of parents will not have it. */
function wentMeanwhile(resource: ResourceName, cause: ServiceRefusal): RetryError {
  return new RetryError("E_LIST_UNSTABLE", `the lists of ${resource} changed meanwhile: ${cause.message}`, {
    cause,
    details: { resource },
  });
}

/** Drops rows from a service that ignores `changedSince`. A row without a stamp passes. */
function isChangedSince({ modified }: JsonObject, since: number | undefined): boolean {
  return since === undefined || (instantOf(modified) ?? Infinity) >= since;
}
