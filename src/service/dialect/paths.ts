import { ParkError, type Json, type JsonObject, type ResourceName, type ServiceId } from "#model";
import type { ServiceDialect } from "#settings";
import type { Brand } from "./brand.ts";
import { resourceFacts } from "../catalogue/catalogue.ts";
import { serviceIdOf } from "./values.ts";

/** Ids of the ancestors, by the field or resource that names them. */
export type AncestorIds = Readonly<Record<string, Json>>;

/** A record that is nested below `from`, where the edit asks for `to`, or for no parent. */
export interface Moved {
  readonly field: string;
  readonly from: ServiceId;
  readonly to: ServiceId | undefined;
}

const PLACEHOLDER = /\{(\w+)\}/g;

/** Loads what was last written to a bound record; undefined for other records. */
export type LoadWritten = (resource: ResourceName, id: ServiceId) => Promise<JsonObject | undefined>;

/** Records whose parents are kept in memory. */
const REMEMBERED_PARENTS = 100_000;

/** Addresses of resources and records: the dialect's spellings, nested or plain. */
export class Paths {
  readonly #base: string;
  readonly #dialect: ServiceDialect;
  readonly #brand: Brand;
  readonly #loadWritten: LoadWritten;
  readonly #parents = new Map<string, JsonObject>();

  constructor(url: string, dialect: ServiceDialect, brand: Brand, loadWritten: LoadWritten) {
    this.#loadWritten = loadWritten;
    this.#base = `${url.replace(/(?<!\/)\/+$/, "")}/restApi`;
    this.#dialect = dialect;
    this.#brand = brand;
  }

  get login(): string {
    return `${this.#base}/login`;
  }

  get logout(): string {
    return `${this.#base}/logout`;
  }

  /** The URL of a path below the API's version. */
  address(path: string): string {
    return `${this.#base}/v1/${this.#brand.outward(path)}`;
  }

  /** The URL of the collection. @throws {ParkError} E_PARENT_UNKNOWN when a nested path lacks the id of an ancestor. */
  async collection(resource: ResourceName, scope: AncestorIds): Promise<string> {
    return `${this.#base}/v1/${await this.#fill(resource, scope)}`;
  }

  /** The URL of one record, where it was last seen or written. `scope` names the parent of a record that is not known yet. */
  async record(resource: ResourceName, id: ServiceId, scope: AncestorIds): Promise<string> {
    const filled = await this.#fill(resource, await this.above(resource, id, scope));
    const path = this.#dialect.recordPath.replace("{resource}", () => filled).replace("{id}", String(id));
    return `${this.#base}/v1/${path}`;
  }

  /** The URL of an action of one record, which is always below the record's plain path. */
  async action(resource: ResourceName, id: ServiceId, action: string, scope: AncestorIds): Promise<string> {
    return `${this.#base}/v1/${await this.#fill(resource, await this.above(resource, id, scope))}/${id}/${action}`;
  }

  /** The ancestors of a record, in the fields that its path consists of; empty for a plain path. */
  async above(resource: ResourceName, id: ServiceId, scope: AncestorIds): Promise<AncestorIds> {
    return this.isNested(resource) ? { ...scope, ...(await this.#known(resource, id)) } : {};
  }

  /** Fields that the resource's path already states, so that a body need not repeat them. */
  fieldsInPath(resource: ResourceName): readonly string[] {
    const template = this.#dialect.paths[resource];
    if (template === undefined) return [];
    const parent = resourceFacts(resource).parent;
    return [...template.matchAll(PLACEHOLDER)].flatMap(([, name = ""]) =>
      name === "parent" ? ["parent", ...(parent ? [parent.field] : [])] : [name],
    );
  }

  /** The id in a record's path that `fields` would change. No edit can do that: the address of a record is fixed. */
  async moved(resource: ResourceName, id: ServiceId, fields: JsonObject): Promise<Moved | undefined> {
    const named = this.fieldsInPath(resource).filter((field) => field in fields);
    const known = named.length > 0 ? await this.#known(resource, id) : undefined;
    for (const field of named) {
      const [from, to] = [serviceIdOf(known?.[field]), serviceIdOf(fields[field])];
      if (from !== undefined && from !== to) return { field, from, to };
    }
    return undefined;
  }

  isNested(resource: ResourceName): boolean {
    return this.#dialect.paths[resource]?.includes("{") ?? false;
  }

  /** Remembers the ancestors of a record, for calls that know only its id. */
  remember(resource: ResourceName, id: ServiceId, scope: AncestorIds): void {
    const fields = this.fieldsInPath(resource);
    if (fields.length === 0) return;
    const above = fields.flatMap((field) => (scope[field] === undefined ? [] : [[field, scope[field]] as const]));
    if (above.length === 0) return;
    if (this.#parents.size >= REMEMBERED_PARENTS) this.#parents.clear();
    this.#parents.set(`${resource}/${id}`, Object.fromEntries(above));
  }

  /** What is remembered, or what an earlier process wrote. */
  async #known(resource: ResourceName, id: ServiceId): Promise<JsonObject | undefined> {
    const name = `${resource}/${id}`;
    const remembered = this.#parents.get(name);
    if (remembered !== undefined) return remembered;
    const written = await this.#loadWritten(resource, id);
    if (written === undefined) return undefined;
    this.remember(resource, id, written);
    return this.#parents.get(name) ?? written;
  }

  async #fill(resource: ResourceName, scope: AncestorIds): Promise<string> {
    const template = this.#dialect.paths[resource] ?? resource;
    let filled = template;
    for (const [placeholder, name = ""] of template.matchAll(PLACEHOLDER))
      filled = filled.replace(placeholder, String(await this.#idAbove(resource, name, scope)));
    return this.#brand.outward(filled);
  }

  /** The id for a placeholder: the given one, or the known ancestor's. */
  async #idAbove(resource: ResourceName, name: string, scope: AncestorIds): Promise<ServiceId> {
    const parent = resourceFacts(resource).parent;
    const direct = serviceIdOf((name === "parent" ? scope[parent?.field ?? "parent"] : undefined) ?? scope[name]);
    if (direct !== undefined) return direct;
    const parentId = parent && serviceIdOf(scope[parent.field] ?? scope["parent"]);
    const further = parent && parentId !== undefined ? await this.#known(parent.resource, parentId) : undefined;
    const known = serviceIdOf(further?.[name]);
    if (known !== undefined) return known;
    const wanted = name === "parent" ? (parent?.field ?? "parent") : name;
    throw new ParkError(
      "E_PARENT_UNKNOWN",
      `the path of ${resource} holds the id of its ${wanted}, which is not among the record's fields: map ${wanted} by ref`,
      { details: { resource, field: wanted } },
    );
  }
}
