import { isJsonObject, ParkError, type Json, type JsonObject, type ResourceName, type ServiceId } from "#model";
import type { Reference } from "../reads/reference.ts";
import type { Brand } from "./brand.ts";
import { serviceIdOf } from "./values.ts";

/** Finds the custom field of a resource by its name. */
export type FindCustomField = (resource: ResourceName, name: string, signal: AbortSignal) => Promise<ServiceId>;

/** Looks up a custom field by name among those of the resource, where the tenant says which resource each belongs to. */
export function customFieldFinder(reference: Reference, brand: Brand): FindCustomField {
  return (resource, name, signal) =>
    reference.lookup("customField", "name", name, signal, (row) => isCustomFieldOf(resource, row, brand));
}

/** Whether a custom field belongs to the resource, as far as the tenant says so. */
export function isCustomFieldOf(resource: ResourceName, field: JsonObject, brand: Brand): boolean {
  const owner = field["parentType"];
  if (typeof owner !== "string") return true;
  return [resource, brand.outward(resource)].some((name) => letters(name) === letters(owner));
}

/** `SVC_DOCUMENT` and `svcDocument` are the same type. */
function letters(name: string): string {
  return name.replaceAll(/[^A-Za-z]/g, "").toLowerCase();
}

/** Translates between `customFields.<id or name>` on our side and `customFields: [{ id, value }]` on the wire. */
export class CustomFields {
  readonly #find: FindCustomField;

  constructor(find: FindCustomField) {
    this.#find = find;
  }

  /** Builds a body as the service expects it. Names that begin with a digit are ids. */
  async combine(resource: ResourceName, fields: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const names = Object.keys(fields).filter((name) => customFieldOf(name) !== undefined);
    if (names.length === 0) return fields;
    const body = Object.fromEntries(Object.entries(fields).filter(([name]) => customFieldOf(name) === undefined));
    const values: Json[] = Array.isArray(body["customFields"]) ? [...body["customFields"]] : [];
    for (const name of names) values.push({ id: await this.#id(resource, name, signal), value: fields[name] ?? null });
    return { ...body, customFields: values };
  }

  /** Adds the custom fields among `names` to each record, under the names that were requested. */
  async spread(
    resource: ResourceName,
    records: readonly JsonObject[],
    names: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    if (records.length === 0) return;
    for (const name of names) {
      if (customFieldOf(name) === undefined) continue;
      const id = await this.#id(resource, name, signal);
      for (const record of records) {
        const value = customValue(record["customFields"], id);
        if (value !== undefined) record[name] = value;
      }
    }
  }

  async #id(resource: ResourceName, name: string, signal: AbortSignal): Promise<ServiceId> {
    const meant = customFieldOf(name) ?? "";
    if (meant === "")
      throw new ParkError("E_CUSTOM_FIELD", `${resource}.${name} names no custom field: write its id or its name`);
    return serviceIdOf(meant) ?? this.#find(resource, meant, signal);
  }
}

/** The value of one custom field; undefined where the list holds only ids or lacks the field. */
export function customValue(list: Json | undefined, id: ServiceId): Json | undefined {
  if (!Array.isArray(list)) return undefined;
  const entry = list.filter(isJsonObject).find((item) => serviceIdOf(item["id"]) === id);
  return entry?.["value"];
}

const CUSTOM = "customFields.";

/**
 * The `fields` parameter for these names, always with `id`. All custom fields are requested in the same way, as
 * `customFields.id,customFields.value`.
 */
export function fieldsParameter(names: readonly string[]): string {
  const asked = new Set(names.includes("*") ? [] : ["id"]);
  for (const name of names) {
    if (name === "customFields" || name.startsWith(CUSTOM)) asked.add("customFields.id").add("customFields.value");
    else asked.add(name);
  }
  return [...asked].join(",");
}

/** The custom field that a name refers to (`customFields.12`, `customFields.Cost centre`); undefined for a plain field. */
export function customFieldOf(name: string): string | undefined {
  return name.startsWith(CUSTOM) ? name.slice(CUSTOM.length) : undefined;
}
