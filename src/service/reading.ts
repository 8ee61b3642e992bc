import { isJsonObject, type Json, type JsonObject, type ResourceName } from "#model";
import type { Dialect } from "#settings";
import type { Brand } from "./brand.ts";
import { idOf } from "./values.ts";

/** One page of a list, unwrapped. */
export interface Page {
  readonly rows: readonly JsonObject[];
  /** How many records the whole list has, where the answer says so. */
  readonly total: number | undefined;
  /** The page size that the server says it used. */
  readonly limit: number | undefined;
}

/**
 * The rows of a list answer, by the dialect's wrapper and, where a tenant differs from it, by any wrapper that leaves no
 * doubt; undefined when there is no list in it.
 */
export function pageIn(
  body: Json | undefined,
  resource: ResourceName,
  dialect: Dialect,
  brand: Brand,
): Page | undefined {
  if (body === undefined || body === null) return { rows: [], total: undefined, limit: undefined };
  if (Array.isArray(body)) return { rows: body.filter(isJsonObject), total: undefined, limit: undefined };
  if (!isJsonObject(body)) return undefined;
  const inner = body["result"];
  const rows =
    wrapperKeys(resource, dialect, brand)
      .map((key) => body[key])
      .find(isListLike) ?? onlyArray(body);
  if (rows === undefined && inner !== undefined) return pageIn(inner, resource, dialect, brand);
  const total = dialect.totalKey === undefined ? undefined : numberIn(body[dialect.totalKey]);
  if (rows === undefined && total !== 0) return undefined;
  return { rows: (rows ?? []).filter(isJsonObject), total, limit: numberIn(body["limit"]) };
}

function wrapperKeys(resource: ResourceName, dialect: Dialect, brand: Brand): string[] {
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

function onlyArray(body: JsonObject): Json[] | undefined {
  const arrays = Object.values(body).filter(isListLike);
  return arrays.length === 1 ? arrays[0] : undefined;
}

function numberIn(value: Json | undefined): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
}

/** The record in an answer: bare, or below the resource's name or `result`; undefined when there is none with an id. */
export function recordIn(body: Json | undefined, resource: ResourceName): JsonObject | undefined {
  if (Array.isArray(body)) return body.length === 1 ? recordIn(body[0], resource) : undefined;
  if (!isJsonObject(body)) return undefined;
  if (idOf(body["id"]) !== undefined) return body;
  return [body[resource], body["result"]].filter(isJsonObject).find((inner) => idOf(inner["id"]) !== undefined);
}
