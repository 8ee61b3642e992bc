import { RetryError, type Json, type JsonObject, type ResourceName } from "#model";
import type { Dialect } from "#settings";
import type { Brand } from "./brand.ts";
import { resourceFacts } from "./catalogue.ts";
import type { CustomFields } from "./custom-fields.ts";
import { ServiceRefusal, unknownResource } from "./failures.ts";
import { fieldsParameter } from "./fields.ts";
import type { Paths } from "./paths.ts";
import { insteadOfList, pageIn, type Page } from "./reading.ts";
import { rowFilter, type ListQuery } from "./row-filter.ts";
import type { Transport } from "./transport.ts";
import { idOf } from "./values.ts";
import { walk } from "./walk.ts";

export interface ReadParts {
  readonly transport: Transport;
  readonly paths: Paths;
  readonly dialect: Dialect;
  readonly brand: Brand;
}

/** Reads lists whole: every record once, every filter checked on every row. */
export class Lists {
  readonly #parts: ReadParts;
  readonly #customFields: CustomFields;

  constructor(parts: ReadParts, customFields: CustomFields) {
    this.#parts = parts;
    this.#customFields = customFields;
  }

  /** @throws {RetryError} E_LIST_UNSTABLE when pages do not add up, E_SERVICE_ANSWER when an answer holds no list. */
  async *pages(resource: ResourceName, query: ListQuery, signal: AbortSignal): AsyncGenerator<JsonObject[]> {
    const above = this.#parentNotGiven(resource, query);
    if (above === undefined) yield* this.#flat(resource, query, signal);
    else
      for await (const parents of this.pages(above.resource, { fields: ["id"] }, signal))
        for (const parent of parents) {
          const filters = { ...query.filters, [above.field]: parent["id"] ?? null };
          yield* this.#flat(resource, { ...query, filters }, signal);
        }
  }

  async count(resource: ResourceName, signal: AbortSignal): Promise<number> {
    if (this.#parts.dialect.totalKey !== undefined && !this.#parts.paths.isNested(resource)) {
      const { total } = await this.page(resource, { fields: ["id"] }, { limit: 0, offset: 0 }, signal);
      if (total !== undefined) return total;
    }
    let count = 0;
    for await (const rows of this.pages(resource, { fields: ["id"] }, signal)) count += rows.length;
    return count;
  }

  /** One page as it comes, unchecked. */
  async page(
    resource: ResourceName,
    query: ListQuery,
    place: { limit: number; offset: number },
    signal: AbortSignal,
  ): Promise<Page> {
    const { transport, paths, dialect, brand } = this.#parts;
    const scope = query.filters ?? {};
    const call = {
      method: "GET",
      resource,
      url: await paths.collection(resource, scope),
      query: this.#parameters(resource, query, place),
      repeat: "patient",
      signal,
    } as const;
    const { body } = await transport.send(call).catch((thrown: unknown) => {
      throw thrown instanceof ServiceRefusal && thrown.status === 404 ? unknownResource(resource, thrown) : thrown;
    });
    const page = pageIn(body, resource, dialect, brand);
    if (page !== undefined) return page;
    throw new RetryError(
      "E_SERVICE_ANSWER",
      `the answer holds no list of ${resource} (found ${insteadOfList(body)}): is DIALECT_LIST_WRAPPER right?`,
      { details: { resource } },
    );
  }

  async *#flat(resource: ResourceName, query: ListQuery, signal: AbortSignal): AsyncGenerator<JsonObject[]> {
    const { paths, dialect } = this.#parts;
    const filter = rowFilter(resource, query);
    const wanted = { ...query, fields: [...query.fields, ...filter.fields] };
    const above = paths.isNested(resource) ? resourceFacts(resource).parent : undefined;
    const parentId = above && query.filters?.[above.field];
    const read = (place: { limit: number; offset: number }) => this.page(resource, wanted, place, signal);
    for await (const rows of walk(resource, read, dialect)) {
      if (above !== undefined && parentId !== undefined)
        for (const row of rows) {
          row[above.field] ??= parentId;
          paths.remember(resource, idOf(row["id"]) ?? 0, { ...query.filters, ...row });
        }
      const kept = rows.filter(filter.accepts);
      await this.#customFields.spread(resource, kept, query.fields, signal);
      if (kept.length > 0) yield kept;
    }
  }

  #parameters(resource: ResourceName, query: ListQuery, place: { limit: number; offset: number }) {
    const { dialect, brand, paths } = this.#parts;
    const inPath = new Set(paths.fieldsInPath(resource));
    const parameters: Record<string, string> = {
      fields: brand.outward(fieldsParameter(query.fields)),
      limit: String(place.limit),
    };
    if (dialect.paging.kind === "offset") parameters[dialect.paging.parameter] = String(place.offset);
    if (dialect.paging.kind === "page") {
      const pageNumber = place.limit === 0 ? 0 : place.offset / place.limit;
      parameters[dialect.paging.parameter] = String(pageNumber + dialect.paging.first);
    }
    if (dialect.sort !== undefined) parameters[dialect.sort.parameter] = brand.outward(dialect.sort.value);
    if (query.changedSince !== undefined && resourceFacts(resource).changedSince)
      parameters["changedSince"] = new Date(query.changedSince).toISOString();
    for (const [name, value] of Object.entries(query.filters ?? {}))
      if (!inPath.has(name)) parameters[brand.outward(name)] = parameterText(value);
    return parameters;
  }

  #parentNotGiven(resource: ResourceName, query: ListQuery) {
    const { parent } = resourceFacts(resource);
    if (parent === undefined || !this.#parts.paths.isNested(resource)) return undefined;
    return idOf(query.filters?.[parent.field]) === undefined ? parent : undefined;
  }
}

function parameterText(value: Json): string {
  if (Array.isArray(value)) return value.map(parameterText).join(",");
  return typeof value === "object" && value !== null ? String(idOf(value) ?? "") : String(value ?? "");
}
