import { isJsonObject, type Json, type JsonObject, type ResourceName } from "#model";
import type { Resource } from "../catalogue/resource.ts";
import { idsOf } from "../records/version.ts";
import { RequestRefusal, nothing, type ApiResponse } from "./answer.ts";
import { isInstant } from "../catalogue/field.ts";
import type { Tenant } from "./tenant.ts";

/** Where the sandbox stores which custom fields a resource shows; not an endpoint. */
const ASSIGNMENTS = "customFieldAssignment";

/** Types whose values JSON can distinguish from text: an id, several ids, or something else. All other types hold text. */
const CHECKS: Readonly<Record<string, (value: Json) => boolean>> = {
  BOOLEAN: (value) => typeof value === "boolean",
  DATE: isInstant,
  NUMBER_LONG: Number.isSafeInteger,
  NUMBER_DOUBLE: (value) => typeof value === "number",
  SELECTION_CATEGORY: Number.isSafeInteger,
  OBSERVER_CATEGORY: Number.isSafeInteger,
  SELECTION_CATEGORY_MULTI: (value) => Array.isArray(value) && value.every((id) => Number.isSafeInteger(id)),
  OBSERVER_CATEGORY_MULTI: (value) => Array.isArray(value) && value.every((id) => Number.isSafeInteger(id)),
};

function assignedCustomFields(tenant: Tenant, resource: ResourceName): readonly number[] {
  const [row] = tenant.database.table(ASSIGNMENTS).find("resource", resource);
  return idsOf(row?.version.record?.["customFields"]);
}

/** `PUT /<resource>/customFields` with all ids in order: replaces the assignment. */
export function assignCustomFields(
  tenant: Tenant,
  resource: Resource,
  body: JsonObject,
  request?: number,
): ApiResponse {
  if (!resource.fields.has("customFields")) throw new RequestRefusal(400, `${resource.wire} has no custom fields`);
  const ids = body["customFields"];
  if (!Array.isArray(ids) || !ids.every((id) => Number.isSafeInteger(id)))
    throw new RequestRefusal(400, "customFields must be an array of ids");
  for (const id of idsOf(ids))
    if (!tenant.find("customField", id)) throw new RequestRefusal(400, `customField ${id} does not exist`);
  const [row] = tenant.database.table(ASSIGNMENTS).find("resource", resource.name);
  const id = row?.id ?? tenant.database.nextId();
  const record = { id, resource: resource.name, customFields: ids };
  tenant.database.put(ASSIGNMENTS, record, { action: row ? "edit" : "create", request, sent: body });
  return nothing(204);
}

/** Merges the sent values into the stored ones. The value of an unassigned field is silently dropped. */
export function mergeCustomFields(tenant: Tenant, resource: Resource, sent: Json, stored: Json | undefined): Json {
  if (!Array.isArray(sent)) throw new RequestRefusal(400, "customFields must be an array of { id, value }");
  const assigned = assignedCustomFields(tenant, resource.name);
  const values = new Map<number, Json>();
  if (Array.isArray(stored))
    for (const entry of stored)
      if (isJsonObject(entry) && typeof entry["id"] === "number") values.set(entry["id"], entry["value"] ?? null);
  for (const entry of sent) {
    if (!isJsonObject(entry) || typeof entry["id"] !== "number")
      throw new RequestRefusal(400, "customFields must be an array of { id, value }");
    const value = entry["value"] ?? null;
    const field = tenant.find("customField", entry["id"]);
    if (field === undefined) throw new RequestRefusal(400, `customField ${entry["id"]} does not exist`);
    if (!assigned.includes(field.id)) continue;
    const type = typeof field["type"] === "string" ? field["type"] : "TEXT";
    const check = CHECKS[type] ?? ((value: Json) => typeof value === "string");
    if (value !== null && !check(value))
      throw new RequestRefusal(400, `customField ${field.id} must be of type ${type}`);
    if (value === null) values.delete(field.id);
    else values.set(field.id, value);
  }
  return assigned.filter((id) => values.has(id)).map((id) => ({ id, value: values.get(id) ?? null }));
}
