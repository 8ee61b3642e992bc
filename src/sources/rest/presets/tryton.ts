import { z } from "zod";
import { isJsonObject, ParkError, StopError, type Json, type JsonObject } from "#model";
import type { PresetRead, RestSettings } from "../schema.ts";
import { stamped, type RestQuery, type RestShape, type RestShapes } from "../shape.ts";
import {
  jsonOf,
  jsonText,
  jsonValue,
  openLogin,
  refuseUnlessOk,
  rowAt,
  rowsAt,
  session,
  wallText,
  type Login,
  type LoginParts,
  type Wall,
  type WebRequest,
} from "../wire.ts";
import { afterLastKey, byKeyset, conditionOf, rangeEnds, refuseInclude } from "./preset-shape.ts";

const domain = z.array(jsonValue).default([]);
const PAGE_SIZE = 500;

/**
 * Tryton's JSON-RPC. `write_date` is null until a record's first update, so two stamps are followed: `write_date`, and
 * `create_date` for records without one.
 */
export function tryton(read: PresetRead): RestShapes {
  refuseInclude(read, "tryton");
  if (read.fields === undefined)
    throw new StopError(
      "E_SOURCE_SETTINGS",
      `the stream of ${read.table} names no \`fields\`; Tryton must be told which`,
    );
  const own = conditionOf(read, domain, 'a Tryton domain, e.g. [["active","=",true]]');
  // As one clause: the conditions that are added would join an "OR" at its beginning.
  const where: Json[] = own.length === 0 ? [] : [own];
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
  const conditions = (query: RestQuery): Json[] => [
    ...where,
    ...rangeEnds<Json>(query, changed, (changed, comparison, wall) => [changed, comparison, tagged(wall)]),
    ...(query.page === undefined ? [] : [["id", ">", query.page]]),
  ];
  return {
    name: read.table,
    keyFields: [key],
    ...stamped(changed, { zone: "UTC", precision: "microsecond", format: "local", plain }),
    ...byKeyset,
    pageSize,
    request(query) {
      const order: Json =
        query.order === "stamp"
          ? [
              [changed, "ASC"],
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
    oneRow: (answer) => rowAt(answer, "result"),
    isListed: true as const,
    tidy: plainRow,
  };
}

/** Builds a call. The context includes inactive records, which are hidden otherwise. */
function call(table: string, method: string, parameters: Json[]): WebRequest {
  const params = [...parameters, { active_test: false }];
  const json = { id: 0, method: `model.${table}.${method}`, params };
  return { method: "POST", url: "", json, judge: (answer) => refuseErrors(answer, table) };
}

/** Throws if the answer is an error. Errors come in a 200 as `error: [kind, message, …]`; for an unknown name, as the name alone. */
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

const loginAnswer = z.object({ result: z.tuple([z.int(), z.string().min(1)]) });

/**
 * Exchanges user and password for a session, once: Tryton hashes the password of every request that has one, which takes a quarter
 * of a second. It answers 401 when the session has ended. Other kinds of login are unchanged.
 */
export function openTrytonLogin(auth: RestSettings["auth"], parts: LoginParts): Login {
  if (auth.kind !== "basic") return openLogin(auth, parts);
  const { username, password } = auth;
  const { baseUrl: url, http, clock } = parts;
  return session([password], parts, async (signal) => {
    const json = { id: 0, method: "common.db.login", params: [username, { password }] };
    const answer = await http.call({ method: "POST", url, json, signal });
    refuseUnlessOk(answer, url, clock.now(), { secrets: [password] });
    const parsed = loginAnswer.safeParse(await jsonOf(answer, url));
    if (!parsed.success)
      throw new ParkError(
        "E_SOURCE_LOGIN",
        `${url}: Tryton refused the login of ${username}, or wants more than a password`,
      );
    const [id, key] = parsed.data.result;
    const proof = Buffer.from(`${username}:${id}:${key}`).toString("base64");
    return { headers: { authorization: `Session ${proof}` }, lifeMs: Number.POSITIVE_INFINITY, secrets: [key, proof] };
  });
}

/** Converts Tryton's tagged values: instants and dates to ISO text, decimals to text. Everything else stays as it is. */
function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  const kind = value["__class__"];
  if (kind === undefined) return plainRow(value);
  if (kind === "datetime") return `${isoDate(value)}T${isoTime(value)}`;
  if (kind === "date") return isoDate(value);
  if (kind === "time") return isoTime(value);
  if (kind === "Decimal") return jsonText(value["decimal"]);
  if (kind === "timedelta") return value["seconds"] ?? null;
  return value["base64"] ?? value;
}

function plainRow(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).map(([name, member]) => [name, plain(member)]));
}

/** Returns an instant in the form that Tryton's domains expect. */
function tagged(wall: Wall): JsonObject {
  const names = ["year", "month", "day", "hour", "minute", "second", "microsecond"];
  const parts = wallText(wall)
    .split(/[-T:.]/)
    .map((part, at) => [names[at], Number(part)]);
  return { __class__: "datetime", ...Object.fromEntries(parts) };
}

function isoDate(value: JsonObject): string {
  return `${digits(value["year"], 4)}-${digits(value["month"], 2)}-${digits(value["day"], 2)}`;
}

function isoTime(value: JsonObject): string {
  const time = [value["hour"], value["minute"], value["second"]].map((part) => digits(part, 2)).join(":");
  return `${time}.${digits(value["microsecond"], 6)}`;
}

function digits(value: Json | undefined, length: number): string {
  return jsonText(value ?? 0).padStart(length, "0");
}
