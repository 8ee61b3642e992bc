import { canonicalJson, type Json, type JsonObject } from "#model";
import type { Sandbox } from "#sandbox";

/** What a service alone decides: ids, numbers, addresses, and when something was written. */
const ITS_OWN: readonly string[] = ["id", "created", "modified", "documentNumber", "ticketNumber", "webLink"];

/**
 * The service's records as they can be compared between two services: without what a service decides alone, with the
 * parents' natural keys in place of their ids, without empty fields (a CSV file cannot tell empty text from none), sorted.
 */
export function arrived(sandbox: Sandbox): Record<string, JsonObject[]> {
  const names = new Map<string, Map<Json, string>>();
  const nameOf = (resource: string, id: Json, field: string): string => {
    let known = names.get(resource);
    if (known === undefined) {
      known = new Map(sandbox.records(resource).map((record) => [record["id"] ?? null, JSON.stringify(record[field])]));
      names.set(resource, known);
    }
    return `${resource} ${known.get(id)}`;
  };
  const links: Readonly<Record<string, readonly [resource: string, field: string]>> = {
    customer: ["customer", "customerId"],
    customerContact: ["customerContact", "info"],
    ticket: ["ticket", "erpReferenceNumber"],
    customerStatus: ["customerStatus", "name"],
    ticketStatus: ["ticketStatus", "name"],
    priority: ["priority", "name"],
    tags: ["tag", "name"],
  };
  const comparable = (record: JsonObject): JsonObject => {
    const kept: JsonObject = {};
    for (const [name, value] of Object.entries(record)) {
      if (ITS_OWN.includes(name) || value === null || value === "" || (Array.isArray(value) && value.length === 0))
        continue;
      const link = links[name];
      if (link === undefined) kept[name] = value;
      else if (Array.isArray(value)) kept[name] = value.map((id) => nameOf(link[0], id, link[1])).toSorted();
      else kept[name] = nameOf(link[0], value, link[1]);
    }
    return kept;
  };
  const all = (resource: string) => {
    const texts = sandbox.records(resource).map((record) => canonicalJson(comparable(record)));
    return texts.toSorted().map((one): JsonObject => JSON.parse(one));
  };
  return Object.fromEntries(
    ["customer", "customerContact", "ticket", "svcDocument"].map((resource) => [resource, all(resource)]),
  );
}
