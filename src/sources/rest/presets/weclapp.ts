import { z } from "zod";
import { ParkError, type Json, type JsonObject } from "#model";
import type { PresetRead } from "../schema.ts";
import { stamped, type RestShapes } from "../shape.ts";
import { requestAddress } from "../template.ts";
import { encodeStamp, isOwn404, isStray, jsonText, rowsAt } from "../wire.ts";
import { afterLastKey, byKeyset, conditionOf } from "./preset-shape.ts";
import { assertReferenced, isTransientAnswer, withReferenced } from "./weclapp-answer.ts";

const parameters = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({});
const PAGE_SIZE = 1000;

interface Filter {
  readonly name: string;
  readonly value: string | number | boolean;
  readonly property?: string;
  readonly operator?: string;
}

/**
 * weclapp's REST API v2: filters are suffixes of properties (`id-gt`), stamps are epoch milliseconds, and unknown filters are
 * silently ignored.
 */
export function weclapp(read: PresetRead): RestShapes {
  const where = conditionOf(read, parameters, "an object of filters, e.g. { customer-eq: true }");
  const { table, include = [] } = read;
  const changed = read.changed === undefined ? "lastModifiedDate" : read.changed;
  const pageSize = read.size ?? PAGE_SIZE;
  const keyFields = read.key ?? ["id"];
  const filters = Object.entries(where).map(([name, value]) => ({ name, value, ...ownFilter(name) }));
  const filtered = filters.flatMap(({ property }) => property ?? []);
  const listed = read.each === undefined ? [] : [read.each.in];
  const needed = [...new Set(["id", ...keyFields, ...filtered, ...listed, ...(changed === null ? [] : [changed])])];
  const fields = read.fields && [...new Set([...needed, ...include.map(propertyOf), ...read.fields])];
  const included = include.length === 0 ? {} : { includeReferencedEntities: include.join(",") };
  // A request for keys alone needs no entities, unless it returns what refers to them.
  const includedInKeys = include.some((path) => needed.includes(path)) ? included : {};
  const rows = (answer: Json) => {
    const found = withReferenced(rowsAt(answer, "result"), include, answer);
    for (const filter of filters) assertFiltered(table, found, filter);
    return found;
  };
  return {
    tracks: [
      {
        name: table,
        keyFields,
        ...stamped(changed, { zone: "UTC", precision: "millisecond", format: "epoch_ms" }),
        ...byKeyset,
        pageSize,
        request({ order, range, page, keysOnly }) {
          const properties = keysOnly ? needed : fields;
          return {
            url: requestAddress(table, {
              ...where,
              ...(range?.from === undefined ? {} : { [`${changed}-ge`]: epochMs(range.from) }),
              ...(range?.below === undefined ? {} : { [`${changed}-lt`]: epochMs(range.below) }),
              ...(page === undefined ? {} : { "id-gt": jsonText(page) }),
              ...(properties === undefined ? {} : { properties: properties.join(",") }),
              ...(keysOnly ? includedInKeys : included),
              sort: order === "stamp" ? `${changed},id` : "id",
              page: 1,
              pageSize,
              serializeNulls: true,
            }),
            transient: isTransientAnswer,
          };
        },
        rows,
        tidy: (row) => assertReferenced(row, include),
        next: afterLastKey("id"),
        ...(keyFields.join() === "id"
          ? {
              // Read from the list, because a record's own address takes no filters.
              one: (key: string) => ({
                url: requestAddress(table, {
                  ...where,
                  ...included,
                  "id-eq": key,
                  page: 1,
                  pageSize: 1,
                  serializeNulls: true,
                }),
                absent: isOwn404,
                transient: isTransientAnswer,
              }),
              oneRow: (answer: Json) => rows(answer)[0],
              isListed: true as const,
            }
          : {}),
      },
    ],
  };
}

/** The property of a path to what is referred to: `contacts` of `contacts.id`. */
function propertyOf(path: string): string {
  return path.split(".", 1)[0]!;
}

/** Splits a filter on a property of the entity itself. Returns nothing for a filter on a related entity. */
function ownFilter(name: string): { property?: string; operator?: string } {
  const [, property, operator] = /^(\w+)-(\w+)$/.exec(name) ?? [];
  return property === undefined || operator === undefined ? {} : { property, operator };
}

/** @throws {ParkError} E_SOURCE_FILTER_IGNORED when rows show that weclapp does not know a filter and therefore ignored it. */
function assertFiltered(table: string, rows: readonly JsonObject[], { name, value, property, operator }: Filter): void {
  if (property === undefined) return;
  const isMeant = (row: JsonObject) =>
    Object.hasOwn(row, property) &&
    (operator !== "eq" || typeof value === "number" || value === "" || isSame(row[property], value));
  const row = rows.find((one) => !isStray(one) && !isMeant(one));
  if (row === undefined) return;
  const found = Object.hasOwn(row, property) ? jsonText(row[property]) : "no such property";
  throw new ParkError(
    "E_SOURCE_FILTER_IGNORED",
    `${table}: rows with ${name}=${value} were asked for, but the row ${jsonText(row["id"])} has ${found}: the filter was ignored; ` +
      "nothing of this answer was used",
    { details: { filter: name } },
  );
}

function isSame(found: Json | undefined, wanted: string | boolean): boolean {
  return jsonText(found).toLowerCase() === String(wanted).toLowerCase();
}

function epochMs(wall: number): string {
  return encodeStamp(wall, "epoch_ms", "millisecond");
}
