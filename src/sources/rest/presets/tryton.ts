import { z } from "zod";
import { isJsonObject, ParkError, StopError, type Json } from "#model";
import { decodeStamp, jsonText, jsonValue, rowsAt, type WebRequest } from "../wire.ts";
import type { PresetRead, RestSettings } from "../schema.ts";
import type { RestQuery, RestShape, RestShapes } from "../shape.ts";
import { conditionOf } from "./condition.ts";
import { afterLastKey, objectAt } from "./keyset.ts";
import { plain, plainRow, tagged } from "./tryton-values.ts";

const domain = z.array(jsonValue).default([]);
const PAGE_SIZE = 500;

/**
 * Tryton's JSON-RPC. `write_date` is null until a record's first update, so records are followed by two stamps:
 * `write_date`, and `create_date` of those never written again.
 */
export function tryton(read: PresetRead, _settings: RestSettings): RestShapes {
  if (read.fields === undefined)
    throw new StopError(
      "E_SOURCE_SETTINGS",
      `the stream of ${read.table} names no \`fields\`; Tryton must be told which`,
    );
  const where = conditionOf(read, domain, 'a Tryton domain, e.g. [["active","=",true]]');
  if (read.changed === null) return { tracks: [model(read, where, null)] };
  if (read.changed !== undefined) return { tracks: [model(read, where, read.changed)] };
  const neverWritten: Json[] = [...where, ["write_date", "=", null]];
  return { tracks: [model(read, where, "write_date"), model(read, neverWritten, "create_date")] };
}

function model(read: PresetRead, where: Json[], changed: string | null): RestShape {
  const pageSize = read.size ?? PAGE_SIZE;
  const key = read.key?.[0] ?? "id";
  const stamps = ["id", key, ...(changed === null ? [] : [changed])];
  const fields = [...new Set([...stamps, ...(read.fields ?? [])])];
  const conditions = ({ range, nulls, page }: RestQuery): Json[] => [
    ...where,
    ...(range?.from === undefined ? [] : [[changed!, ">=", tagged(range.from)]]),
    ...(range?.below === undefined ? [] : [[changed!, "<", tagged(range.below)]]),
    ...(nulls && changed !== null ? [[changed, "=", null]] : []),
    ...(page === undefined ? [] : [["id", ">", page]]),
  ];
  return {
    name: read.table,
    keyFields: [key],
    ...(changed === null
      ? {}
      : {
          stamp: {
            field: changed,
            zone: "UTC",
            precision: "microsecond" as const,
            decode: (row) => decodeStamp(plain(row[changed] ?? null), "local", "UTC", changed),
          },
        }),
    sorted: true,
    bounded: true,
    keyset: true,
    nulls: false,
    pageSize,
    request(query) {
      const order: Json =
        query.order === "stamp"
          ? [
              [changed!, "ASC"],
              ["id", "ASC"],
            ]
          : [["id", "ASC"]];
      return call(read.table, "search_read", [conditions(query), 0, pageSize, order, query.keysOnly ? stamps : fields]);
    },
    rows: (answer) => rowsAt(answer, "result"),
    next: afterLastKey("id"),
    one(id) {
      const domain = [...where, [key, "=", key === "id" ? Number(id) : id]];
      return call(read.table, "search_read", [domain, 0, 1, null, fields]);
    },
    oneRow: (answer) => objectAt(answer, "result.0"),
    tidy: plainRow,
  };
}

/** Inactive records are hidden unless the context says otherwise. */
function call(table: string, method: string, parameters: Json[]): WebRequest {
  const params = [...parameters, { active_test: false }];
  const json = { id: 0, method: `model.${table}.${method}`, params };
  return { method: "POST", url: "", json, judge: (answer) => refuseErrors(answer, table) };
}

/** Errors come in a 200 as `error: [kind, message, …]`; of a name that Tryton does not know, the name alone. */
function refuseErrors(answer: Json, table: string): void {
  const error = isJsonObject(answer) ? answer["error"] : undefined;
  if (error === undefined || error === null) return;
  const words = (Array.isArray(error) ? error.flat() : [jsonText(error)])
    .filter((part) => typeof part === "string")
    .filter((part) => part.trim() !== "");
  const unknown = /^'([^']{1,100})'$/.exec(words[0] ?? "")?.[1];
  if (unknown !== undefined && unknown === table)
    throw new ParkError(
      "E_SOURCE_REQUEST",
      `Tryton has no model ${table}: correct \`table\`, or add the module that brings it`,
    );
  if (unknown !== undefined)
    throw new ParkError(
      "E_SOURCE_REQUEST",
      `Tryton has no field ${unknown} in ${table}: correct \`fields\`, \`key\`, \`changed\` or \`where\``,
    );
  const said = words.join(": ").slice(0, 300);
  throw new ParkError(
    "E_SOURCE_REQUEST",
    `Tryton refused to read ${table}: ${said === "" ? "it gave no reason" : said}`,
  );
}
