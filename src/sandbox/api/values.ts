import { isJsonObject, type Json } from "#model";
import type { Field, Resource } from "../catalogue/resource.ts";
import { idsOf, type StoredRecord } from "../records/version.ts";
import { Refusal } from "./answer.ts";
import { mergeCustomFields } from "./custom-fields.ts";
import { isInstant } from "../catalogue/field.ts";
import type { Tenant } from "./tenant.ts";

/** What is kept of a value that was sent. Undefined: the field stays as it is. */
export function readValue(
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
      if (!isInstant(value)) throw new Refusal(400, `${field.wire} has invalid date format`);
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
    case "restLink":
      return undefined;
  }
}

function readLink(tenant: Tenant, field: Field, value: Json): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return wrong(field, "the integer id of a record");
  if (tenant.target(field.targets, value) === undefined)
    throw new Refusal(400, `${field.wire} ${value} does not exist`);
  return value;
}

/** A plain array replaces; `{ action, ids }` adds, removes or sets, in an edit alone. */
function readLinks(tenant: Tenant, field: Field, value: Json, current: StoredRecord | undefined): number[] | undefined {
  if (!isJsonObject(value)) return checkedLinks(tenant, field, readIds(field, value));
  if (current === undefined || tenant.switches.arrayUpdate === "refused") return wrong(field, "an array of ids");
  if (tenant.switches.arrayUpdate === "ignored") return undefined;
  const ids = readIds(field, value["ids"] ?? null);
  const present = idsOf(current[field.name]);
  const { action } = value;
  if (action === "set") return checkedLinks(tenant, field, ids);
  if (action === "add") return [...new Set([...present, ...checkedLinks(tenant, field, ids)])];
  if (action === "remove") return present.filter((id) => !ids.includes(id));
  throw new Refusal(400, `${field.wire}.action must be one of add, remove, set`);
}

function readIds(field: Field, value: Json): number[] {
  if (!Array.isArray(value) || !value.every((id) => Number.isSafeInteger(id))) return wrong(field, "an array of ids");
  return [...new Set(idsOf(value))];
}

function checkedLinks(tenant: Tenant, field: Field, ids: number[]): number[] {
  for (const id of ids)
    if (tenant.target(field.targets, id) === undefined) throw new Refusal(400, `${field.wire} ${id} does not exist`);
  return ids;
}

function wrong(field: Field, wanted: string): never {
  throw new Refusal(400, `${field.wire} must be ${wanted}`);
}
