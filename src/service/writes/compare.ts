import { isJsonObject, type Json, type JsonObject, type ResourceName } from "#model";
import { resourceFacts } from "../catalogue/catalogue.ts";
import type { ArrayChange, Written } from "../contract.ts";
import { customFieldOf } from "../dialect/custom-fields.ts";
import { serviceIdOf, isEmpty, sameValue } from "../dialect/values.ts";

export type Dropped = Written["dropped"][number];

/**
 * The fields that were sent, but that the answer shows differently, or omits although they were requested. `sent` has
 * svcsync's names; `record` is the answer, with its custom fields spread among the members.
 */
export function droppedFields(resource: ResourceName, sent: JsonObject, record: JsonObject): Dropped[] {
  const { writeOnly, embeds } = resourceFacts(resource);
  const dropped: Dropped[] = [];
  for (const field in sent) {
    const value = sent[field] ?? null;
    if (writeOnly.includes(field) || sameValue(value, record[field])) continue;
    if (embeds.includes(field) && Array.isArray(value) && value.length === idsIn(record[field]).length) continue;
    if (customFieldOf(field) !== undefined && isAssignedOnly(record["customFields"])) continue;
    if (field === "customFields" && customFieldsKept(value, record["customFields"])) continue;
    dropped.push({ field, sent: value, found: record[field] });
  }
  return dropped;
}

/** The array changes that the answer does not show: an added id is missing, or a removed one is still there. */
export function droppedArrays(arrays: Readonly<Record<string, ArrayChange>>, record: JsonObject): Dropped[] {
  return Object.entries(arrays).flatMap(([field, change]) => {
    const found = new Set(idsIn(record[field]));
    const kept = change.add.every((id) => found.has(id)) && !change.remove.some((id) => found.has(id));
    const sent = { add: [...change.add], remove: [...change.remove] };
    return kept ? [] : [{ field, sent, found: record[field] }];
  });
}

/** What an array should hold after a change, including ids from other writers. */
export function mergedIds(current: Json | undefined, { add, remove }: ArrayChange): number[] {
  const without = new Set(remove);
  return [...new Set([...idsIn(current), ...add])].filter((id) => !without.has(id) || add.includes(id));
}

export function idsIn(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.flatMap((item) => serviceIdOf(item) ?? []) : [];
}

/** A tenant that returns custom fields as bare ids shows which are set, not their values. */
function isAssignedOnly(list: Json | undefined): boolean {
  return Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === "number");
}

function customFieldsKept(sent: Json, found: Json | undefined): boolean {
  if (!Array.isArray(sent)) return false;
  if (isAssignedOnly(found)) return true;
  const values = new Map(
    (Array.isArray(found) ? found : []).filter(isJsonObject).map((item) => [serviceIdOf(item["id"]), item["value"]]),
  );
  return sent
    .filter(isJsonObject)
    .every((item) =>
      isEmpty(item["value"])
        ? isEmpty(values.get(serviceIdOf(item["id"])))
        : sameValue(item["value"], values.get(serviceIdOf(item["id"]))),
    );
}
