import { z } from "zod";
import { errorIn } from "./error-in.ts";
import { isJsonObject, joinKey, ParkError, type Json, type JsonObject, type Key } from "#model";

/** Returns the value at a dotted path (`customer.id`, `lines.0.no`). The empty path means the value itself. */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  if (path === "") return value;
  let at = value;
  for (const name of path.split(".")) {
    if (Array.isArray(at)) at = at[Number(name)];
    else if (isJsonObject(at)) at = Object.hasOwn(at, name) ? at[name] : undefined;
    else return undefined;
  }
  return at;
}

/**
 * Returns the values of a row's key fields, in order.
 * @throws {ParkError} E_SOURCE_KEY when one is missing, null or not a plain value, or when the only one is a boolean (Odoo writes
 * `false` for an empty field). Such a row has no identity.
 */
export function keyParts(row: JsonObject, fields: readonly string[]): (string | number | boolean)[] {
  const stray = strays.get(row);
  if (stray !== undefined)
    throw new ParkError("E_SOURCE_KEY", `a row is ${stray}, but an object is expected`, { details: { isStray: true } });
  return fields.map((field) => {
    const value = valueAt(row, field);
    if (isKeyPart(value, fields)) return value;
    const plain = value === null || typeof value === "boolean" ? String(value) : "a list or an object";
    const found = value === undefined ? "missing" : plain;
    throw new ParkError("E_SOURCE_KEY", `the key field ${field} of a row is ${found}; every row needs a key`, {
      details: { field, isMissing: value === undefined, columns: Object.keys(row).slice(0, 50) },
    });
  });
}

/**
 * Returns the key of the last row that has one. The next page begins there.
 * @throws {ParkError} E_SOURCE_KEY when no row has one.
 */
export function lastKey(rows: readonly JsonObject[], fields: readonly string[]): (string | number | boolean)[] {
  const found = rows.findLast((row) => fields.every((field) => isKeyPart(valueAt(row, field), fields)));
  return keyParts(found ?? rows.at(-1) ?? {}, fields);
}

function isKeyPart(value: Json | undefined, fields: readonly string[]): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || (typeof value === "boolean" && fields.length > 1);
}

export function keyOf(row: JsonObject, fields: readonly string[]): Key {
  return joinKey(keyParts(row, fields));
}

/** What rows of answers were that are no objects, by what took their place. */
const strays = new WeakMap<JsonObject, string>();

/** Whether an object takes the place of a row that is none. */
export function isStray(row: JsonObject): boolean {
  return strays.has(row);
}

/**
 * Returns the rows of an answer. A row that is no object comes first, as one without a key, so that pages still end with a row that has one.
 * @throws {ParkError} E_SOURCE_ROWS when there is no list of objects at `path`, or an empty one beside an error.
 */
export function rowsAt(answer: Json, path: string): JsonObject[] {
  const rows = valueAt(answer, path);
  if (!Array.isArray(rows)) throw misshapen(answer, path, rows, "a list of objects");
  if (rows.length === 0) refuseError(answer, "an empty list");
  const objects = rows.filter(isJsonObject);
  if (objects.length === rows.length) return objects;
  if (objects.length === 0 && rows.length > 1) throw misshapen(answer, path, rows, "a list of objects");
  return [...rows.filter((row) => !isJsonObject(row)).map(stray), ...objects];
}

/** @throws {ParkError} E_SOURCE_ROWS when an answer without a row reports an error: it does not say that there is none. */
function refuseError(answer: Json, found: string): void {
  const said = errorIn(answer);
  if (said !== undefined)
    throw new ParkError("E_SOURCE_ROWS", `the answer has ${found}, but reports an error: ${said}`);
}

function stray(row: Json): JsonObject {
  const place: JsonObject = {};
  strays.set(place, row === null ? "null" : Array.isArray(row) ? "a list" : `a ${typeof row}`);
  return place;
}

/**
 * Returns the one record of an answer, or the first of its list; undefined if it is null or the list is empty.
 * @throws {ParkError} E_SOURCE_ROWS when there is nothing at `path`: such an answer does not say that the record is gone.
 */
export function rowAt(answer: Json, path: string): JsonObject | undefined {
  const found = valueAt(answer, path);
  const row = Array.isArray(found) ? (found[0] ?? null) : found;
  if (row === null) {
    refuseError(answer, "no record");
    return undefined;
  }
  if (isJsonObject(row)) return row;
  throw misshapen(answer, path, found, "an object");
}

function misshapen(answer: Json, path: string, rows: Json | undefined, expected: string): ParkError {
  const where = path === "" ? "the answer" : `\`${path}\` of the answer`;
  const found = rows === undefined ? "missing" : Array.isArray(rows) ? "a list of something else" : typeof rows;
  const members = isJsonObject(answer) ? `; the answer has ${Object.keys(answer).slice(0, 20).join(", ")}` : "";
  return new ParkError("E_SOURCE_ROWS", `${where} is ${found}, but ${expected} is expected${members}`);
}

/** Any JSON value, as a schema. */
export const jsonValue: z.ZodType<Json> = z.json();

/** Returns a JSON value as text: texts, numbers and booleans as they read, everything else as JSON. */
export function jsonText(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
