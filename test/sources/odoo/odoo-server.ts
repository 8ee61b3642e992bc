import type { Json, JsonObject } from "#model";
import type { ErpRow, HttpErp } from "../http-erp.ts";

export interface SearchParameters {
  readonly domain: readonly [field: string, operator: string, value: Json][];
  readonly order: string;
  readonly limit: number;
  readonly fields: readonly string[];
  readonly context?: JsonObject;
}

/** `search_read` as measured: stamps are kept in microseconds and shown in seconds. */
export function search(erp: HttpErp, { domain, order, limit, fields }: SearchParameters): Json {
  const condition = (field: string, operator: string) =>
    domain.find((it) => it[0] === field && it[1] === operator)?.[2];
  const after = condition("id", ">");
  const ref = condition("ref", "=");
  const rows = erp.select({
    from: micros(condition("write_date", ">=")),
    below: micros(condition("write_date", "<")),
    after: typeof after === "number" ? after : undefined,
    order: order.startsWith("write_date") ? "stamp" : "id",
    limit: ref === undefined ? limit : Number.POSITIVE_INFINITY,
    nulls: condition("write_date", "=") === false,
  });
  return rows.filter(({ key }) => ref === undefined || key === ref).map((row) => shown(row, fields));
}

function shown(row: ErpRow, fields: readonly string[]): JsonObject {
  const all: JsonObject = { id: row.id, ref: row.key, name: row.name, active: true, write_date: seconds(row.stamp) };
  return Object.fromEntries(fields.map((name) => [name, all[name] ?? false]));
}

function seconds(stamp: number | null): Json {
  return stamp === null ? false : new Date(stamp / 1000).toISOString().slice(0, 19).replace("T", " ");
}

function micros(value: Json | undefined): number | undefined {
  return typeof value === "string" ? Date.parse(`${value.replace(" ", "T")}Z`) * 1000 : undefined;
}
