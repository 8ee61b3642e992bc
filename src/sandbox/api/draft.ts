import { isJsonObject, type Json, type JsonObject } from "#model";
import { isInstant } from "../catalogue/field.ts";
import type { Field, Resource } from "../catalogue/resource.ts";
import { idsOf, type StoredRecord } from "../records/version.ts";
import { RequestRefusal } from "./answer.ts";
import { mergeCustomFields } from "./custom-fields.ts";
import type { Tenant } from "./tenant.ts";

/** The contents of a body: checked values by neutral name, dropped fields, and embedded children. */
export interface BodyDraft {
  readonly values: Record<string, Json>;
  readonly dropped: readonly string[];
  readonly embedded: readonly { readonly field: Field; readonly items: readonly JsonObject[] }[];
}

/**
 * Reads the body of a create (`current` undefined) or of an edit. Fields that are unknown, read-only or no longer
 * changeable are silently dropped.
 * @throws {RequestRefusal} 400 for a value of the wrong type, a link to nothing, or an empty required field.
 */
export function readDraft(
  tenant: Tenant,
  resource: Resource,
  body: JsonObject,
  current: StoredRecord | undefined,
): BodyDraft {
  const values: Record<string, Json> = {};
  const dropped: string[] = [];
  const embedded: { field: Field; items: JsonObject[] }[] = [];
  for (const wire of Object.keys(body)) {
    const field = resource.byWire.get(wire);
    const sent = body[wire]!;
    if (field === undefined) {
      if (resource.open) values[tenant.catalogue.brand.neutral(wire)] = sent;
      else dropped.push(wire);
      continue;
    }
    if (!writable(field, current)) {
      dropped.push(wire);
      continue;
    }
    if (field.kind === "children") {
      embedded.push({ field, items: readItems(field, sent) });
      continue;
    }
    const value = readValue(tenant, resource, field, sent, current);
    if (value === undefined) dropped.push(wire);
    else values[field.name] = value;
  }
  for (const field of resource.required) {
    const value = field.name in values ? values[field.name] : current?.[field.name];
    const missing = value === undefined || value === null || value === "";
    if (missing && (current === undefined || field.name in values))
      throw new RequestRefusal(400, `${field.wire} is required`);
  }
  return { values, dropped, embedded };
}

function writable(field: Field, current: StoredRecord | undefined): boolean {
  return field.written === "always" || (field.written === "create" && current === undefined);
}

function readItems(field: Field, value: Json): JsonObject[] {
  if (!Array.isArray(value) || !value.every(isJsonObject))
    throw new RequestRefusal(400, `${field.wire} must be an array of objects`);
  return value;
}

/** What is stored of a value that was sent. Undefined: the field stays unchanged. */
function readValue(
  tenant: Tenant,
  resource: Resource,
  field: Field,
  value: Json,
  current: StoredRecord | undefined,
): Json | undefined {
  if (value === null) return null;
  switch (field.kind) {
    case "text":
      if (typeof value !== "string") return wrong(field, "a text");
      if (field.choices !== undefined && !field.choices.includes(value))
        return wrong(field, `one of ${field.choices.join(", ")}`);
      return value;
    case "integer":
      return Number.isSafeInteger(value) ? value : wrong(field, "an integer");
    case "number":
      return typeof value === "number" ? value : wrong(field, "a number");
    case "boolean":
      return typeof value === "boolean" ? value : wrong(field, "a boolean");
    case "instant":
      if (!isInstant(value)) throw new RequestRefusal(400, `${field.wire} has invalid date format`);
      return value;
    case "object":
      return isJsonObject(value) ? value : wrong(field, "an object");
    case "integers":
      return readIds(field, value);
    case "link":
      return readLink(tenant, field, value);
    case "links":
      return readLinks(tenant, field, value, current);
    case "customFields":
      return mergeCustomFields(tenant, resource, value, current?.[field.name]);
    case "children":
    case "reverse":
    case "exists":
    case "computed":
    case "restLink":
      return undefined;
  }
}

function readLink(tenant: Tenant, field: Field, value: Json): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return wrong(field, "the integer id of a record");
  if (tenant.target(field.targets, value) === undefined)
    throw new RequestRefusal(400, `${field.wire} ${value} does not exist`);
  return value;
}

/** A plain array replaces the ids; `{ action, ids }`, allowed only in an edit, adds, removes or sets them. */
function readLinks(tenant: Tenant, field: Field, value: Json, current: StoredRecord | undefined): number[] | undefined {
  if (!isJsonObject(value)) return checkedLinks(tenant, field, readIds(field, value));
  if (current === undefined || tenant.switches.arrayUpdate === "refused") return wrong(field, "an array of ids");
  if (tenant.switches.arrayUpdate === "ignored") return undefined;
  const ids = readIds(field, value["ids"] ?? null);
  const present = idsOf(current[field.name]);
  const { action } = value;
  if (action === "set" || tenant.switches.arrayUpdate === "wholeArray") return checkedLinks(tenant, field, ids);
  if (action === "add") return [...new Set([...present, ...checkedLinks(tenant, field, ids)])];
  if (action === "remove") return present.filter((id) => !ids.includes(id));
  throw new RequestRefusal(400, `${field.wire}.action must be one of add, remove, set`);
}

function readIds(field: Field, value: Json): number[] {
  if (!Array.isArray(value) || !value.every((id) => Number.isSafeInteger(id))) return wrong(field, "an array of ids");
  return [...new Set(idsOf(value))];
}

function checkedLinks(tenant: Tenant, field: Field, ids: number[]): number[] {
  for (const id of ids)
    if (tenant.target(field.targets, id) === undefined)
      throw new RequestRefusal(400, `${field.wire} ${id} does not exist`);
  return ids;
}

function wrong(field: Field, wanted: string): never {
  throw new RequestRefusal(400, `${field.wire} must be ${wanted}`);
}
