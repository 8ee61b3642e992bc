import type { HttpAnswer } from "#http";
import type { Json, Key } from "#model";
import { PageGauge } from "../wire/walk/paging.ts";
import { findInList } from "../wire/walk/prove-filter.ts";
import { RowReader } from "../wire/walk/read-rows.ts";
import type { Scope, WireTable } from "../wire/table.ts";
import { keyOf } from "../wire/stamps/values.ts";
import type { WebClient } from "../wire/client/web-client.ts";
import type { RestPage, RestQuery, RestShape } from "./shape.ts";
import { fitsAddress, SingleRecords } from "./single-record.ts";

export interface RestTableOptions {
  /** One key may occur several times. */
  readonly isLog?: boolean;
  /** The records of the stream are inside the rows, so that keys alone do not tell which there are. */
  readonly holdsMembers?: boolean;
}

/** Makes a shape a table to walk. */
export function restTable(client: WebClient, shape: RestShape, options: RestTableOptions = {}): WireTable {
  const { isLog = false, holdsMembers = false } = options;
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
  const table: WireTable = {
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
      const rows = reader.read(page.rows, keysOnly && !holdsMembers);
      return next === undefined ? { rows } : { rows, next };
    },
    ...(shape.one === undefined
      ? {}
      : {
          async find(key: Key, signal: AbortSignal) {
            if (!fitsAddress(key)) return await findInList(this, key, signal);
            const raw = await single.read(key, signal);
            const [row] = raw === undefined ? [] : reader.read([raw]);
            return row === undefined || shape.isListed === true ? row : await findInList(this, key, signal);
          },
        }),
  };
  const single = new SingleRecords(client, shape, table);
  return table;
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
