import { z } from "zod";
import type { Json } from "#model";
import type { PresetRead, RestSettings } from "../schema.ts";
import { stamped, type RestQuery, type RestShapes } from "../shape.ts";
import { requestAddress } from "../template.ts";
import { encodeStamp, isEmpty404, isOwn404, rowAt, rowsAt } from "../wire.ts";
import { afterLastKey, byKeyset, conditionOf, rangeEnds, refuseInclude } from "./preset-shape.ts";

const parameters = z.record(z.string(), z.union([z.string(), z.number()])).default({});
const PAGE_SIZE = 100;

/**
 * Dolibarr's REST API. It answers 404 if there are no rows, and silently leaves out rows that the user may not see. Filters write
 * stamps as quoted text in the database's zone; answers give them as seconds, which PHP computed in its own zone.
 */
export function dolibarr(read: PresetRead, settings: RestSettings): RestShapes {
  refuseInclude(read, "dolibarr");
  const { sqlfilters, ...where } = conditionOf(read, parameters, "an object, e.g. { mode: 1 } for customers");
  // In brackets: an `or` in it binds less than the `and` before what is added.
  const fixed = sqlfilters === undefined ? [] : [`(${sqlfilters})`];
  const changed = read.changed === undefined ? "date_modification" : read.changed;
  const pageSize = read.size ?? PAGE_SIZE;
  const keyFields = read.key ?? ["id"];
  const path = `api/index.php/${read.table}`;
  const conditions = (query: RestQuery): string[] => [
    ...fixed,
    ...rangeEnds(query, changed, (_, comparison, wall) => `(t.tms:${comparison}:'${local(wall)}')`),
    ...(query.page === undefined ? [] : [`(t.rowid:>:${Number(query.page)})`]),
  ];
  return {
    tracks: [
      {
        name: read.table,
        keyFields,
        ...stamped(changed, {
          zone: settings.databaseTimezone ?? settings.timezone,
          precision: "second",
          format: "epoch_s",
          answerZone: settings.timezone,
        }),
        ...byKeyset,
        pageSize,
        gaps: true,
        request(query) {
          const filters = conditions(query).join(" and ");
          return {
            url: requestAddress(path, {
              ...where,
              sortfield: query.order === "stamp" ? "t.tms,t.rowid" : "t.rowid",
              sortorder: query.order === "stamp" ? "ASC,ASC" : "ASC",
              limit: pageSize,
              page: 0,
              ...(filters === "" ? {} : { sqlfilters: filters }),
            }),
            absent: isEmpty404,
          };
        },
        rows: (answer) => rowsAt(answer, ""),
        next: afterLastKey("id"),
        ...(keyFields.join() === "id"
          ? {
              // Read from the list, because a record's own address takes no filters.
              one: (key: string) => {
                const filters = [...fixed, `(t.rowid:=:${Number(key)})`];
                const query = { ...where, limit: 1, page: 0, sqlfilters: filters.join(" and ") };
                return { url: requestAddress(path, query), absent: isOwn404 };
              },
              oneRow: (answer: Json) => rowAt(answer, ""),
              isListed: true as const,
            }
          : {}),
      },
    ],
  };
}

function local(wall: number): string {
  return encodeStamp(wall, "local", "second");
}
