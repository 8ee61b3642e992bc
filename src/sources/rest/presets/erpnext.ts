import { z } from "zod";
import { canonicalJson, type Json, type JsonObject } from "#model";
import type { PresetRead, RestSettings } from "../schema.ts";
import { stamped, type RestPage, type RestQuery, type RestShape, type RestShapes } from "../shape.ts";
import { requestAddress } from "../template.ts";
import { encodeStamp, jsonText, jsonValue, rowsAt, valueAt } from "../wire.ts";
import { afterLastKey, byKeyset, conditionOf, rangeEnds, refuseInclude } from "./preset-shape.ts";

type Filter = [field: string, operator: string, value: Json];
/** A condition on the DocType itself, or on one of its child tables, which is named first by its DocType. */
type Condition = Filter | [docType: string, ...Filter];

const filter = z.tuple([z.string(), z.string(), jsonValue]);
const filters = z.array(z.union([filter, z.tuple([z.string(), z.string(), z.string(), jsonValue])])).default([]);
const PAGE_SIZE = 500;
const DELETED = "Deleted Document";

/** ERPNext and everything else on Frappe: DocTypes over REST, with "Deleted Document" as the list of deletions. */
export function erpnext(read: PresetRead, settings: RestSettings): RestShapes {
  refuseInclude(read, "erpnext");
  const form =
    'a list of [field, operator, value], e.g. [["disabled","=",0]], or of [child DocType, field, operator, value]';
  const where: Condition[] = conditionOf(read, filters, form);
  const key = read.key?.[0] ?? "name";
  const changed = read.changed === undefined ? "modified" : read.changed;
  const shape = docType(read.table, { key, changed, where, fields: read.fields }, read.size ?? PAGE_SIZE, settings);
  if (!read.deletions) return { tracks: [shape] };
  const gone: Filter[] = [
    ["deleted_doctype", "=", read.table],
    ["restored", "=", 0],
  ];
  const feed = { key: "deleted_name", changed: "creation", where: gone, fields: ["name", "deleted_name", "creation"] };
  // A rename ends a name, and no list reports it.
  return { tracks: [shape], deletions: docType(DELETED, feed, PAGE_SIZE, settings), hasSilentDeletions: true };
}

interface DocType {
  readonly key: string;
  readonly changed: string | null;
  readonly where: readonly Condition[];
  readonly fields: readonly string[] | undefined;
}

/**
 * Pages by `name`, the primary key of every DocType, whatever the stream's key is. With fields of a child table, ERPNext lists a
 * record once for each row of that table; only one of them is kept.
 */
function docType(table: string, type: DocType, pageSize: number, settings: RestSettings): RestShape {
  const { key, changed, where } = type;
  const path = `api/resource/${encodeURIComponent(table)}`;
  const needed = [key, "name", ...(changed === null ? [] : [changed])];
  const fields = type.fields === undefined ? ["*"] : [...new Set([...needed, ...type.fields])];
  const isJoined = fields.some((field) => field.includes("."));
  const rows = (answer: Json) => (isJoined ? firstOfEach(rowsAt(answer, "data")) : rowsAt(answer, "data"));
  const bounds = (query: RestQuery): Filter[] => [
    ...rangeEnds(query, changed, bound),
    ...(query.page === undefined ? [] : [["name", ">", query.page] satisfies Filter]),
  ];
  return {
    name: table,
    keyFields: [key],
    ...stamped(changed, { zone: settings.timezone, precision: "microsecond", format: "local" }),
    ...byKeyset,
    pageSize,
    gaps: isJoined,
    request: (query) => ({
      url: requestAddress(path, {
        fields: JSON.stringify(query.keysOnly ? needed : fields),
        filters: JSON.stringify([...where, ...bounds(query)]),
        order_by: query.order === "stamp" ? `${changed} asc,name asc` : "name asc",
        limit_start: 0,
        limit_page_length: pageSize,
      }),
    }),
    rows,
    next: isJoined ? beforeLastName : afterLastKey("name"),
    ...(key === "name"
      ? {
          // Read from the list, because a record's own address takes no filters.
          one: (name: string) => ({
            url: requestAddress(path, {
              fields: JSON.stringify(fields),
              filters: JSON.stringify([...where, ["name", "=", name]]),
              limit_page_length: pageSize,
            }),
          }),
          oneRow: (answer: Json) => rows(answer)[0],
          isListed: true as const,
        }
      : {}),
  };
}

/** Of the rows of each record one, the same whatever their order is. */
function firstOfEach(rows: readonly JsonObject[]): JsonObject[] {
  const first = new Map<string, JsonObject>();
  for (const row of rows) {
    const name = jsonText(row["name"]);
    const other = first.get(name);
    if (other === undefined || canonicalJson(row) < canonicalJson(other)) first.set(name, row);
  }
  return [...first.values()];
}

/** The last record of a page may have more rows: the next page begins with it. */
function beforeLastName({ rows, full }: RestPage): Json | undefined {
  return full ? valueAt(rows.at(-2) ?? rows.at(-1), "name") : undefined;
}

function bound(field: string, operator: string, wall: number): Filter {
  return [field, operator, encodeStamp(wall, "local", "microsecond")];
}
