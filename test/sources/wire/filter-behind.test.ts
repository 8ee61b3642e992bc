import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "#model";
import { adapters, type OpenedSource, type SourceStream } from "#sources";
import { jsonText } from "../../../src/sources/wire/stamps/values.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { odataService } from "../odata/service.ts";
import { openContext, poll } from "../reading.ts";

const HOUR = 3_600_000;
const clock = new SetClock(0);
/** By how much later the ERP reads every bound than it was meant. */
let behindMs: number;
let rows: JsonObject[];
let server: WebServer;
let opened: OpenedSource<unknown> | undefined;

type Triple = [field: string, operator: string, value: Json];

const later = (text: string) =>
  text.replace(/(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d)/g, (_, day: string, between: string, time: string) =>
    new Date(Date.parse(`${day}T${time}Z`) + behindMs).toISOString().slice(0, 19).replace("T", between),
  );

/** What a list has after conditions of the form that Odoo and Frappe share, in the order of the stamp or of `id`. */
function listed(conditions: readonly Triple[], byStamp: boolean, size: number): JsonObject[] {
  const passes: Record<string, (a: Json, b: Json) => boolean> = {
    ">=": (a, b) => a! >= b!,
    ">": (a, b) => a! > b!,
    "<": (a, b) => a! < b!,
    "=": (a, b) => a === b,
  };
  return rows
    .filter((row) => conditions.every(([field, operator, value]) => passes[operator]!(row[field] ?? false, value)))
    .toSorted(
      (a, b) => (byStamp ? jsonText(a["at"]).localeCompare(jsonText(b["at"])) : 0) || Number(a["id"]) - Number(b["id"]),
    )
    .slice(0, size);
}

const odoo = ({ path, body }: Asked): Told => {
  if (path.endsWith("fields_get")) return { body: { id: { type: "integer" }, at: { type: "datetime" } } };
  const { domain, order, limit }: { domain: Triple[]; order: string; limit: number } = JSON.parse(later(body));
  return { body: listed(domain, order.startsWith("at"), limit) };
};

const frappe = ({ query, path }: Asked): Told => {
  if (path.includes("Deleted")) return { body: { data: [] } };
  const filters: Triple[] = JSON.parse(later(query.get("filters") ?? "[]"));
  const isByStamp = query.get("order_by")?.startsWith("at") ?? false;
  return { body: { data: listed(filters, isByStamp, Number(query.get("limit_page_length"))) } };
};

const odata = (asked: Asked): Told => {
  const filter = asked.query.get("$filter");
  if (filter !== null) asked.query.set("$filter", later(filter));
  const types = { id: "Int32", at: "DateTimeOffset" };
  return odataService({ items: { version: "v4", keys: ["id"], types, rows: () => rows } }, asked);
};

const kinds = {
  odoo: {
    answer: odoo,
    stamp: (at: number) => new Date(at).toISOString().slice(0, 19).replace("T", " "),
    settings: { database: "erp", key: "k3y" },
    read: { model: "items", fields: ["at"], changed: "at", size: 5 },
  },
  rest: {
    answer: frappe,
    stamp: (at: number) => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")}.000000`,
    settings: { preset: "erpnext" },
    read: { table: "items", key: "name", changed: "at", size: 5 },
  },
  odata: {
    answer: odata,
    stamp: (at: number) => new Date(at).toISOString(),
    settings: {},
    read: { entity: "items", changed: "at", size: 5 },
  },
} as const;

beforeEach(() => {
  behindMs = 0;
  clock.at = Date.parse("2026-03-02T10:00:00Z");
});
afterEach(async () => {
  await opened?.[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const names: readonly (keyof typeof kinds)[] = ["odoo", "rest", "odata"];

describe.each(names)("a filter of %s that reads its bound at UTC-8", (name) => {
  const kind = kinds[name];
  const put = (id: number, at: number) => {
    rows = [...rows.filter((row) => row["id"] !== id), { id, name: String(id), at: kind.stamp(at) }];
  };
  async function stream(): Promise<SourceStream> {
    rows = [];
    for (let id = 11; id <= 22; id++) put(id, clock.at - 4 * HOUR + id * 1000);
    server = await startWebServer((asked) => ({
      headers: { date: new Date(clock.at).toUTCString() },
      ...kind.answer(asked),
    }));
    const adapter = adapters.get(name)!;
    opened = await adapter.open(adapter.settings.parse({ url: server.url, ...kind.settings }), openContext(clock));
    return opened.stream("items", adapter.read.parse(kind.read));
  }

  it("stops the stream at each poll, and is found by check", async () => {
    const items = await stream();
    const { keys, cursor } = await poll(items);
    expect(new Set(keys).size).toBe(12);
    behindMs = 8 * HOUR;
    put(13, clock.at);
    clock.at += 1000;
    for (let polls = 0; polls < 2; polls++)
      await expect(poll(items, cursor)).rejects.toMatchObject({
        code: "E_SOURCE_FILTER_MISSES",
        message: expect.stringContaining("8 h earlier"),
      });
    expect(await items.check(never)).toContainEqual(expect.objectContaining({ code: "E_SOURCE_FILTER_MISSES" }));
  });

  it("is not suspected where the known rows were deleted, and polls stay cheap", async () => {
    const items = await stream();
    let { cursor } = await poll(items);
    rows = rows.filter((row) => Number(row["id"]) < 20);
    const requests: number[] = [];
    for (let polls = 0; polls < 3; polls++) {
      server.asked.length = 0;
      clock.at += HOUR;
      ({ cursor } = await poll(items, cursor));
      requests.push(server.asked.length);
    }
    expect(requests.at(-1)).toBeLessThanOrEqual(3);
    put(13, clock.at);
    expect((await poll(items, cursor)).keys).toEqual(["13"]);
  });
});
