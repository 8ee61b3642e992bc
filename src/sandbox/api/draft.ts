import { isJsonObject, type Json, type JsonObject } from "#model";
import type { Field, Resource } from "../catalogue/resource.ts";
import type { StoredRecord } from "../records/version.ts";
import { Refusal } from "./answer.ts";
import type { Tenant } from "./tenant.ts";
import { readValue } from "./values.ts";

/** What a body comes to: checked values by neutral name, what was dropped, and embedded children. */
export interface Draft {
  readonly values: Record<string, Json>;
  readonly dropped: readonly string[];
  readonly embedded: readonly { readonly field: Field; readonly items: readonly JsonObject[] }[];
}

/**
 * Reads the body of a create (`current` undefined) or of an edit. Fields that are unknown, read-only or not to be changed
 * any more are dropped without a word.
 * @throws {Refusal} 400 for a value of the wrong kind, a link that leads nowhere, a required field left empty.
 */
export function readDraft(
  tenant: Tenant,
  resource: Resource,
  body: JsonObject,
  current: StoredRecord | undefined,
): Draft {
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
    if (missing && (current === undefined || field.name in values)) throw new Refusal(400, `${field.wire} is required`);
  }
  return { values, dropped, embedded };
}

function writable(field: Field, current: StoredRecord | undefined): boolean {
  return field.written === "always" || (field.written === "create" && current === undefined);
}

function readItems(field: Field, value: Json): JsonObject[] {
  if (!Array.isArray(value) || !value.every(isJsonObject))
    throw new Refusal(400, `${field.wire} must be an array of objects`);
  return value;
}
