import type { Json, JsonObject, ResourceName } from "#model";
import { resourceFacts } from "./catalogue.ts";
import { instantOf, sameKeyPart } from "./values.ts";

export interface ListQuery {
  readonly fields: readonly string[];
  readonly filters?: Readonly<Record<string, Json>>;
  /** Epoch milliseconds. */
  readonly changedSince?: number;
}

/**
 * Checks on each row what the server was asked to filter by: a filter that a resource does not know is ignored, and the
 * whole list comes back as if every row fitted. Rows that cannot be checked pass.
 */
export function rowFilter(
  resource: ResourceName,
  query: ListQuery,
): { fields: readonly string[]; accepts: (row: JsonObject) => boolean } {
  const given = query.filters ?? {};
  const wanted = Object.entries(resourceFacts(resource).filters).flatMap(([field, name]) => {
    const value = given[name];
    return value === undefined || typeof value === "object" ? [] : [[field, value] as const];
  });
  const since = query.changedSince;
  const known = wanted.map(([field]) => field);
  return {
    fields: since === undefined ? known : [...known, "modified"],
    accepts: (row) =>
      wanted.every(([field, value]) => row[field] === undefined || sameKeyPart(value, row[field])) &&
      (since === undefined || (instantOf(row["modified"]) ?? Infinity) >= since),
  };
}
