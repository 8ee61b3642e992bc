import { isJsonObject, type Json, type JsonObject, type ResourceName } from "#model";
import type { WholeQuery } from "./queries.ts";

/** The lists that a record holds, and what is in them. */
const LISTS: Readonly<Record<ResourceName, Readonly<Record<string, ResourceName>>>> = {
  svcDocument: { tasks: "svcDocumentTask", travelLogs: "svcDocumentTraveLog" },
  svcDocumentTask: {
    workLogs: "svcDocumentTaskWorkLog",
    materials: "svcDocumentTaskMaterial",
    planningTimes: "svcDocumentTaskPlanningTime",
  },
};

interface Total {
  /** The field of the head. */
  readonly total: string;
  readonly path: readonly string[];
  readonly field: string;
}

/**
 * Totals of a service record that are plain sums of its lines. Prices and revised times are none: agreements and contingents change them
 * above the lines.
 */
const TOTALS: Readonly<Record<ResourceName, readonly Total[]>> = {
  svcDocument: [
    { total: "totalTasksWorkingTime", path: ["tasks", "workLogs"], field: "time" },
    { total: "totalTasksInvoiceTime", path: ["tasks", "workLogs"], field: "invoiceTime" },
    { total: "totalTravelLogsTime", path: ["travelLogs"], field: "time" },
    { total: "totalTravelLogsDistance", path: ["travelLogs"], field: "distance" },
  ],
};

/** The lists of a resource by their fields, with what is in them; none of other resources. */
export function listsOf(resource: ResourceName): Readonly<Record<string, ResourceName>> {
  return LISTS[resource] ?? {};
}

/** The totals that speak about these lists. */
export function totalsOf(resource: ResourceName, lists: WholeQuery["lists"]): string[] {
  return totals(resource, lists).map(({ total }) => total);
}

/** The fields that totals sum up, of the records in this list. */
export function summandsOf(list: string): string[] {
  return Object.values(TOTALS).flatMap((all) =>
    all.filter(({ path }) => path.at(-1) === list).map(({ field }) => field),
  );
}

/** The first total that its lines do not add up to, for people; undefined if all do. A total that is not shown says nothing. */
export function wrongTotal(resource: ResourceName, record: JsonObject, lists: WholeQuery["lists"]): string | undefined {
  for (const { total, path, field } of totals(resource, lists)) {
    const shown = record[total];
    if (typeof shown !== "number") continue;
    const summands = linesAt(record, path).map((line) => line[field]);
    if (!summands.every((value) => typeof value === "number")) continue;
    const sum = summands.reduce((one, other) => one + other, 0);
    if (Math.abs(sum - shown) > ROUNDING) return `${total} is ${shown}, its lines add up to ${sum}`;
  }
  return undefined;
}

/** Sums of doubles differ by their order; times are whole milliseconds. */
const ROUNDING = 1e-6;

function totals(resource: ResourceName, lists: WholeQuery["lists"]): Total[] {
  return (TOTALS[resource] ?? []).filter(({ path }) => isRead(path, lists));
}

function isRead([first = "", ...rest]: readonly string[], lists: WholeQuery["lists"]): boolean {
  const list = lists[first];
  return list !== undefined && (rest.length === 0 || isRead(rest, list.lists));
}

function linesAt(record: JsonObject, [first = "", ...rest]: readonly string[]): JsonObject[] {
  const list: Json = record[first] ?? [];
  const items = Array.isArray(list) ? list.filter(isJsonObject) : [];
  return rest.length === 0 ? items : items.flatMap((item) => linesAt(item, rest));
}
