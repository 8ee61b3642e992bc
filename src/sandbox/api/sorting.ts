import type { Json } from "#model";
import type { Resource } from "../catalogue/resource.ts";
import type { Row } from "../records/table.ts";
import type { Tenant } from "./tenant.ts";

export type Comparison = (a: Row, b: Row) => number;

/** The order a list is asked for, or the tenant's own. Words that mean nothing are ignored. */
export function readSorting(
  resource: Resource,
  query: URLSearchParams | undefined,
  tenant: Tenant,
): Comparison | "ascending" | "descending" {
  const { sorting, order } = tenant.switches;
  const asked = sorting ? (query?.get("sortings") ?? "") : "";
  const terms = asked
    .split(",")
    .map((term) => term.trim().split(/\s+/))
    .filter(([name = ""]) => resource.fields.has(tenant.catalogue.brand.neutral(name)));
  const [first] = terms;
  if (first === undefined) {
    if (order === "changedFirst") return (a, b) => b.version.sequence - a.version.sequence;
    return order === "oldestFirst" ? "ascending" : "descending";
  }
  if (first[0] === "id") return first[1] === "desc" ? "descending" : "ascending";
  const comparisons = terms.map(([name = "", direction]) =>
    byField(tenant.catalogue.brand.neutral(name), direction === "desc" ? -1 : 1),
  );
  return (a, b) => {
    for (const compare of comparisons) {
      const difference = compare(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

function byField(field: string, sign: 1 | -1): Comparison {
  return (a, b) => sign * compareValues(a.version.record?.[field] ?? null, b.version.record?.[field] ?? null);
}

/** Null before everything; text and numbers each among themselves. */
function compareValues(a: Json, b: Json): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}
