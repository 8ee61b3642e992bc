import { nearest, type JsonObject, type ResourceName } from "#model";
import { catalogueFields, customFieldKind, kindShown } from "../catalogue/catalogue-fields.ts";
import { resourceFacts } from "../catalogue/catalogue.ts";
import type { FieldFact, FieldFacts } from "../contract.ts";
import type { Brand } from "../dialect/brand.ts";
import { customFieldOf, isCustomFieldOf } from "../dialect/custom-fields.ts";
import type { Paths } from "../dialect/paths.ts";
import { serviceIdOf, isEmpty } from "../dialect/values.ts";
import { ServiceRefusal } from "../transport/failures.ts";
import type { Lists } from "./lists.ts";

/** A name that no tenant has. A tenant that shows it echoes any name. */
const CONTROL = "svcsyncNoSuchField";
const ROWS_READ = 50;

export interface FieldReaderDeps {
  readonly lists: Lists;
  readonly paths: Paths;
  readonly brand: Brand;
}

/**
 * Tells whether the service has fields of given names: by what the tenant shows, or by the catalogue where it shows
 * nothing.
 */
export class FieldReader {
  readonly #deps: FieldReaderDeps;

  constructor(deps: FieldReaderDeps) {
    this.#deps = deps;
  }

  async facts(resource: ResourceName, names: readonly string[], signal: AbortSignal): Promise<FieldFacts> {
    const plain = names.filter((name) => customFieldOf(name) === undefined);
    const custom = names.filter((name) => customFieldOf(name) !== undefined);
    const rows = await this.#rows(resource, plain, signal);
    const defined = custom.length === 0 ? [] : await this.#customFields(resource, signal);
    const facts = new Map<string, FieldFact>();
    for (const name of plain) facts.set(name, plainFact(resource, name, rows));
    for (const name of custom) facts.set(name, customFact(customFieldOf(name) ?? "", defined));
    return { recordCount: rows.length, facts };
  }

  /** Some records with these fields; empty where finding them would mean searching below other records. */
  async #rows(resource: ResourceName, names: readonly string[], signal: AbortSignal): Promise<readonly JsonObject[]> {
    if (this.#deps.paths.isNested(resource)) return [];
    const query = { fields: [...names, CONTROL] };
    const page = await this.#deps.lists
      .page(resource, query, { limit: ROWS_READ, offset: 0 }, signal)
      .catch(unlessForbidden);
    return page?.rows ?? [];
  }

  async #customFields(resource: ResourceName, signal: AbortSignal): Promise<readonly JsonObject[] | undefined> {
    const query = { fields: ["name", "parentType", "type"] };
    const pages = await Array.fromAsync(this.#deps.lists.pages("customField", query, signal)).catch(unlessForbidden);
    return pages?.flat().filter((field) => isCustomFieldOf(resource, field, this.#deps.brand));
  }
}

/** What the catalogue alone tells about field names, without a request. */
export function catalogueFacts(resource: ResourceName, names: readonly string[]): FieldFacts["facts"] {
  const factOf = (name: string) =>
    customFieldOf(name) === undefined ? plainFact(resource, name, []) : customFact("", undefined);
  return new Map(names.map((name) => [name, factOf(name)]));
}

function plainFact(resource: ResourceName, name: string, rows: readonly JsonObject[]): FieldFact {
  const catalogue = catalogueFields(resource);
  const values = rows.flatMap((row) => row[name] ?? []).filter((value) => !isEmpty(value));
  const kind = catalogue.get(name) ?? kindShown(values);
  const fact = { kind, isReadOnly: resourceFacts(resource).readOnly.includes(name) };
  const isEcho = rows.some((row) => CONTROL in row);
  if (values.length > 0 || (!isEcho && rows.some((row) => name in row))) return { ...fact, verdict: "known" };
  if (catalogue.has(name)) return { ...fact, verdict: "known" };
  const shown = rows.flatMap((row) => Object.keys(row)).filter((key) => key !== name && key !== CONTROL);
  const suggestion = nearest(name, new Set([...catalogue.keys(), ...(isEcho ? [] : shown)]));
  // A tenant that omits empty fields would omit this one too.
  const showsEmptyFields = !isEcho && rows.some((row) => Object.values(row).includes(null));
  const isUnknown = suggestion !== undefined || showsEmptyFields;
  return { ...fact, verdict: isUnknown ? "unknown" : "unproven", suggestion };
}

/** `defined` holds the resource's custom fields; undefined where they cannot be read. */
function customFact(meant: string, defined: readonly JsonObject[] | undefined): FieldFact {
  if (defined === undefined) return { verdict: "unproven", kind: undefined, isReadOnly: false };
  const id = serviceIdOf(meant);
  const field = defined.find((each) => (id === undefined ? each["name"] === meant : serviceIdOf(each["id"]) === id));
  if (field !== undefined) return { verdict: "known", kind: customFieldKind(field["type"]), isReadOnly: false };
  const names = defined.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
  const near = nearest(meant, names);
  const suggestion = near === undefined ? undefined : `customFields.${near}`;
  return { verdict: "unknown", kind: undefined, isReadOnly: false, suggestion };
}

/** A list that this user may not read proves nothing. */
function unlessForbidden(thrown: unknown): undefined {
  if (thrown instanceof ServiceRefusal && thrown.status === 403) return undefined;
  throw thrown;
}
