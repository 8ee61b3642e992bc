import type { HttpAnswer } from "#http";
import { splitKey, type Json, type JsonObject, type Key } from "#model";
import { PageGauge } from "../wire/walk/paging.ts";
import { findInList } from "../wire/walk/prove-filter.ts";
import { RowReader } from "../wire/walk/read-rows.ts";
import type { Scope, WireTable } from "../wire/table.ts";
import { keyOf } from "../wire/stamps/values.ts";
import type { WebClient } from "../wire/client/web-client.ts";
import type { RestPage, RestQuery, RestShape } from "./shape.ts";

/** Makes a shape a table to walk. With `isLog`, one key may occur several times. */
export function restTable(client: WebClient, shape: RestShape, isLog = false): WireTable {
  const gauge = new PageGauge();
  const reader = new RowReader({
    name: shape.name,
    stampField: shape.stamp?.field ?? "",
    isLog,
    key: (raw) => keyOf(raw, shape.keyFields),
    row: (raw) => shape.tidy?.(raw) ?? raw,
    stamp: (raw) => shape.stamp?.decode(raw),
  });
  const read = async (query: RestQuery, signal: AbortSignal): Promise<RestPage | undefined> => {
    const request = shape.request(query);
    const isEmpty = (answer: HttpAnswer) => answer.status === 204 || (request.absent?.(answer) ?? false);
    const exchange = await client.exchange({ ...request, absent: isEmpty }, signal);
    if (exchange === undefined) return undefined;
    const rows = shape.rows(exchange.json);
    const paged = Number.isFinite(shape.pageSize);
    const full = paged && (gauge.mayContinue(rows.length, shape.pageSize) || (shape.gaps === true && rows.length > 0));
    return { ...exchange, query, rows, full };
  };
  return {
    name: shape.name,
    stampField: shape.stamp?.field ?? "",
    sorted: shape.sorted,
    bounded: shape.bounded,
    keyset: shape.keyset,
    reader,
    async byStamp(range, signal) {
      const page = await read({ order: "stamp", range, keysOnly: false }, signal);
      if (page === undefined) return { rows: [], more: false };
      return { rows: reader.read(page.rows), more: page.full || shape.next(page) !== undefined };
    },
    async byKey(scope, after, signal, keysOnly = false) {
      const page = await read({ order: "key", keysOnly, ...scopeOf(scope), ...pageAt(after) }, signal);
      if (page === undefined) return { rows: [] };
      const next = shape.next(page);
      const rows = reader.read(page.rows, keysOnly);
      return next === undefined ? { rows } : { rows, next };
    },
    ...(shape.one === undefined
      ? {}
      : {
          async find(key: Key, signal: AbortSignal) {
            if (!fitsAddress(key)) return await findInList(this, key, signal);
            const raw = await readByKey(client, shape, key, signal);
            const [row] = raw === undefined ? [] : reader.read([raw]);
            return row === undefined || shape.isListed === true ? row : await findInList(this, key, signal);
          },
        }),
  };
}

/** Reads a record by the request for one; undefined if the API has none with this key. */
export async function readByKey(
  client: WebClient,
  shape: RestShape,
  key: Key,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const answer: Json | undefined = await client.json(shape.one!(key), signal);
  const row = answer === undefined ? undefined : shape.oneRow?.(answer);
  return row === undefined || keyOf(row, shape.keyFields) !== key ? undefined : row;
}

/**
 * Whether a key can be part of an address. An empty part, `.` and `..` would lead elsewhere, and half of a surrogate pair has no
 * encoding.
 */
export function fitsAddress(key: Key): boolean {
  return splitKey(key).every((part) => part !== "" && part !== "." && part !== ".." && part.isWellFormed());
}

function scopeOf(scope: Scope): Pick<RestQuery, "range" | "nulls"> {
  switch (scope.kind) {
    case "all":
      return {};
    case "range":
      return { range: scope.range };
    case "null":
      return { nulls: true };
  }
}

function pageAt(after: Json | undefined): Pick<RestQuery, "page"> {
  return after === undefined ? {} : { page: after };
}
