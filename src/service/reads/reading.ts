import { isJsonObject, type Json, type JsonObject, type ResourceName } from "#model";
import type { ServiceDialect } from "#settings";
import type { Brand } from "../dialect/brand.ts";
import { serviceIdOf } from "../dialect/values.ts";

/** One page of a list, unwrapped. */
export interface Page {
  readonly rows: readonly JsonObject[];
  /** The number of records in the whole list, where the answer states it. */
  readonly total: number | undefined;
  /** The page size that the server says it used. */
  readonly limit: number | undefined;
}

/**
 * The rows of a list answer, by the dialect's wrapper, or by any other wrapper that is unambiguous; undefined when it
 * holds no list. An empty list needs proof, because "nothing exists" leads to creates: the list's own key with no rows,
 * or a total of 0.
 */
export function pageIn(
  body: Json | undefined,
  resource: ResourceName,
  dialect: ServiceDialect,
  brand: Brand,
): Page | undefined {
  if (Array.isArray(body))
    return body.length > 0 || dialect.listWrapper === "array" ? pageOf(body, undefined, undefined) : undefined;
  if (!isJsonObject(body)) return undefined;
  const total = dialect.totalKey === undefined ? undefined : numberIn(body[dialect.totalKey]);
  const ownRows = wrapperKeys(resource, dialect, brand)
    .map((key) => body[key])
    .find(isListLike);
  // A total of 0 beside records is wrong.
  const rows = ownRows ?? onlyRecords(body) ?? (total === 0 ? [] : undefined);
  if (rows === undefined) return pageIn(body["result"], resource, dialect, brand);
  return pageOf(rows, total, numberIn(body["limit"]));
}

/** Undefined when a row is not a record: dropping it would make the list look shorter than it is. */
function pageOf(found: readonly Json[], total: number | undefined, limit: number | undefined): Page | undefined {
  const rows = found.filter(isJsonObject);
  return rows.length === found.length ? { rows, total, limit } : undefined;
}

/** Describes in a few words what an answer holds instead of what was requested. */
export function insteadOf(body: Json | undefined): string {
  if (body === undefined) return "an empty body";
  if (isJsonObject(body)) return `an object with ${Object.keys(body).slice(0, 5).join(", ") || "no members"}`;
  return Array.isArray(body) && body.length > 0 ? `an array of ${body.length}` : JSON.stringify(body).slice(0, 40);
}

function wrapperKeys(resource: ResourceName, dialect: ServiceDialect, brand: Brand): string[] {
  const { listWrapper, listKeys, paths } = dialect;
  const last = paths[resource]?.split("/").at(-1);
  return [
    ...(typeof listWrapper === "object" ? [listWrapper.key] : []),
    listKeys[resource] ?? resource,
    resource,
    ...(last === undefined || last.includes("{") ? [] : [last]),
  ].map((key) => brand.inward(key));
}

function isListLike(value: Json | undefined): value is Json[] {
  return Array.isArray(value);
}

/** The only array of an answer, if it holds records: `errors: []` is not a list. */
function onlyRecords(body: JsonObject): Json[] | undefined {
  const [rows = [], ...others] = Object.values(body).filter(isListLike);
  return others.length === 0 && rows.length > 0 && rows.every(isRecord) ? rows : undefined;
}

function isRecord(row: Json): boolean {
  return isJsonObject(row) && serviceIdOf(row["id"]) !== undefined;
}

function numberIn(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}

/**
 * Whether an answer is empty, or holds only empty values. Only such an answer can mean that a record does not exist; one
 * with values but without a valid id is a record that cannot be read.
 */
export function isNothing(value: Json | undefined): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isNothing);
  return value === undefined || value === null || value === "" || typeof value === "boolean";
}

/** The record in an answer: bare, or below the resource's name or `result`; undefined when no record has an id. */
export function recordIn(body: Json | undefined, resource: ResourceName): JsonObject | undefined {
  if (Array.isArray(body)) return body.length === 1 ? recordIn(body[0], resource) : undefined;
  if (!isJsonObject(body)) return undefined;
  if (serviceIdOf(body["id"]) !== undefined) return body;
  return [body[resource], body["result"]].filter(isJsonObject).find((inner) => serviceIdOf(inner["id"]) !== undefined);
}
