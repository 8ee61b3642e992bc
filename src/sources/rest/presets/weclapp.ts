import { z } from "zod";
import type { Json } from "#model";
import type { PresetRead } from "../schema.ts";
import { stamped, type RestShapes } from "../shape.ts";
import { addressOf } from "../template.ts";
import { encodeStamp, isOwn404, jsonText, rowsAt } from "../wire.ts";
import { afterLastKey, byKeyset, conditionOf, objectAt } from "./preset-shape.ts";

const parameters = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({});
const PAGE_SIZE = 1000;

/** weclapp's REST API v2: suffix filters, epoch milliseconds, filters it does not know ignored without a word. */
export function weclapp(read: PresetRead): RestShapes {
  const where = conditionOf(read, parameters, "an object of filters, e.g. { customer-eq: true }");
  const changed = read.changed === undefined ? "lastModifiedDate" : read.changed;
  const pageSize = read.size ?? PAGE_SIZE;
  const keyFields = read.key ?? ["id"];
  const needed = [...new Set(["id", ...keyFields, ...(changed === null ? [] : [changed])])];
  return {
    tracks: [
      {
        name: read.table,
        keyFields,
        ...stamped(changed, { zone: "UTC", precision: "millisecond", format: "epoch_ms" }),
        ...byKeyset,
        pageSize,
        request({ order, range, page, keysOnly }) {
          const properties = keysOnly ? needed : read.fields && [...new Set([...needed, ...read.fields])];
          return {
            url: addressOf(read.table, {
              ...where,
              ...(range?.from === undefined ? {} : { [`${changed}-ge`]: epochMs(range.from) }),
              ...(range?.below === undefined ? {} : { [`${changed}-lt`]: epochMs(range.below) }),
              ...(page === undefined ? {} : { "id-gt": jsonText(page) }),
              ...(properties === undefined ? {} : { properties: properties.join(",") }),
              sort: order === "stamp" ? `${changed},id` : "id",
              page: 1,
              pageSize,
              serializeNulls: true,
            }),
          };
        },
        rows: (answer) => rowsAt(answer, "result"),
        next: afterLastKey("id"),
        ...(keyFields.join() === "id"
          ? {
              // Asked for in the list: the address of a record knows no filters.
              one: (key: string) => ({
                url: addressOf(read.table, { ...where, "id-eq": key, page: 1, pageSize: 1, serializeNulls: true }),
                absent: isOwn404,
              }),
              oneRow: (answer: Json) => objectAt(answer, "result.0"),
            }
          : {}),
      },
    ],
  };
}

function epochMs(wall: number): string {
  return encodeStamp(wall, "epoch_ms", "millisecond");
}
