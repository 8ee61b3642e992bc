import { ParkError, type Json, type JsonObject, type ResourceName, type ServiceId } from "#model";
import type { Dialect } from "#settings";
import type { Brand } from "./brand.ts";
import { resourceFacts } from "./catalogue.ts";
import { idOf } from "./values.ts";

/** Ids of the records above, by the field or resource that names them. */
export type Scope = Readonly<Record<string, Json>>;

const PLACEHOLDER = /\{(\w+)\}/g;

/** How many records' parents are remembered: enough for what a daemon touches between two reads of them. */
const REMEMBERED_PARENTS = 100_000;

/** Addresses of resources and records: the dialect's spellings, nested or plain. */
export class Paths {
  readonly #base: string;
  readonly #dialect: Dialect;
  readonly #brand: Brand;
  readonly #parents = new Map<string, JsonObject>();

  constructor(url: string, dialect: Dialect, brand: Brand) {
    this.#base = `${url.replace(/\/+$/, "")}/restApi`;
    this.#dialect = dialect;
    this.#brand = brand;
  }

  get login(): string {
    return `${this.#base}/login`;
  }

  /** Any path below the API's version. */
  address(path: string): string {
    return `${this.#base}/v1/${this.#brand.outward(path)}`;
  }

  /** The collection. @throws {ParkError} E_PARENT_UNKNOWN when a nested path lacks the id of a record above. */
  collection(resource: ResourceName, scope: Scope): string {
    return `${this.#base}/v1/${this.#fill(resource, scope)}`;
  }

  record(resource: ResourceName, id: ServiceId, scope: Scope): string {
    const above = { ...this.#parents.get(`${resource}/${id}`), ...scope };
    const path = this.#dialect.recordPath
      .replace("{resource}", () => this.#fill(resource, above))
      .replace("{id}", String(id));
    return `${this.#base}/v1/${path}`;
  }

  /** Fields that the path of a resource says already, so that a body need not repeat them. */
  fieldsInPath(resource: ResourceName): readonly string[] {
    const template = this.#dialect.paths[resource];
    if (template === undefined) return [];
    const parent = resourceFacts(resource).parent;
    return [...template.matchAll(PLACEHOLDER)].flatMap(([, name = ""]) =>
      name === "parent" ? ["parent", ...(parent ? [parent.field] : [])] : [name],
    );
  }

  isNested(resource: ResourceName): boolean {
    return this.#dialect.paths[resource]?.includes("{") ?? false;
  }

  /** Remembers what stands above a record, for calls that only know its id. */
  remember(resource: ResourceName, id: ServiceId, scope: Scope): void {
    const fields = this.fieldsInPath(resource);
    if (fields.length === 0) return;
    const above = fields.flatMap((field) => (scope[field] === undefined ? [] : [[field, scope[field]] as const]));
    if (this.#parents.size >= REMEMBERED_PARENTS) this.#parents.clear();
    this.#parents.set(`${resource}/${id}`, Object.fromEntries(above));
  }

  #fill(resource: ResourceName, scope: Scope): string {
    const template = this.#dialect.paths[resource] ?? resource;
    if (!template.includes("{")) return this.#brand.outward(template);
    const filled = template.replace(PLACEHOLDER, (_, name: string) => String(this.#above(resource, name, scope)));
    return this.#brand.outward(filled);
  }

  /** The id for a placeholder: given, or remembered of the record above. */
  #above(resource: ResourceName, name: string, scope: Scope): ServiceId {
    const parent = resourceFacts(resource).parent;
    const direct = idOf((name === "parent" ? scope[parent?.field ?? "parent"] : undefined) ?? scope[name]);
    if (direct !== undefined) return direct;
    const parentId = parent && idOf(scope[parent.field] ?? scope["parent"]);
    const further = parent && parentId !== undefined ? this.#parents.get(`${parent.resource}/${parentId}`) : undefined;
    const remembered = idOf(further?.[name]);
    if (remembered !== undefined) return remembered;
    const wanted = name === "parent" ? (parent?.field ?? "parent") : name;
    throw new ParkError(
      "E_PARENT_UNKNOWN",
      `the path of ${resource} holds the id of its ${wanted}, which is not among the record's fields: map ${wanted} by ref`,
      { details: { resource, field: wanted } },
    );
  }
}
