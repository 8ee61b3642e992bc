import { afterEach, describe, expect, it } from "vitest";
import type { Change, Cursor, Json, JsonObject } from "#model";
import { plainRecord } from "../../../src/sources/odoo/record.ts";
import { plainRow } from "../../../src/sources/odata/values.ts";
import { odataRead, odataSettings } from "../../../src/sources/odata/schema.ts";
import { openOData } from "../../../src/sources/odata/source.ts";
import { restRead, restSettings } from "../../../src/sources/rest/schema.ts";
import { openRest } from "../../../src/sources/rest/source.ts";
import type { SourceStream } from "../../../src/sources/source.ts";
import { odataService } from "../odata/service.ts";
import { allKeys, openContext } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
const now = "2026-03-01T09:00:00Z";
let erp: WebServer;
afterEach(() => erp[Symbol.asyncDispose]());

/** Streams whose ERP answers these rows, as they stand in the text. */
const streams: Readonly<Record<string, (rows: string) => Promise<SourceStream>>> = {
  async rest(rows) {
    erp = await startWebServer(() => ({ body: `{"rows":[${rows}]}`, headers: { "content-type": "application/json" } }));
    const source = await openRest(restSettings.parse({ url: erp.url }), openContext(clock));
    const read = { path: "items", rows: "rows", key: "id", changed: "at", after: { after: "{key}" } };
    return source.stream("items", restRead.parse(read));
  },
  async odata(rows) {
    const set = { version: "v4", keys: ["id"], types: { id: "Int32", at: "DateTimeOffset" }, rows: () => [] } as const;
    erp = await startWebServer((asked) =>
      asked.path.endsWith("$metadata")
        ? odataService({ items: set }, asked)
        : { body: `{"value":[${rows}]}`, headers: { "content-type": "application/json" } },
    );
    const source = await openOData(odataSettings.parse({ url: erp.url }), openContext(clock));
    return source.stream("items", odataRead.parse({ entity: "items", changed: "at" }));
  },
};

async function read(stream: SourceStream, cursor: Cursor | null = null) {
  const changes: Change[] = [];
  const unreadable: { key: string; place: string; reason: string }[] = [];
  let reached = cursor;
  for await (const batch of stream.changes(cursor, never)) {
    reached = batch.cursor;
    changes.push(...batch.changes);
    unreadable.push(...(batch.unreadable ?? []));
  }
  return { changes, unreadable, cursor: reached };
}

const good = `{"id":1,"at":"${now}","name":"Good"}`;
const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;

describe.each(Object.keys(streams))("an odd row of %s", (kind) => {
  const stream = streams[kind]!;

  it.each([
    ["a stamp that is none", `{"id":2,"at":"soon"}`, "items.at", /holds/],
    [
      "values that nest without an end",
      `{"id":2,"at":"${now}","deep":${deep}}`,
      "items",
      /nests deeper than 64 levels/,
    ],
  ])("with %s is set aside, and all others are read", async (_what, odd, place, reason) => {
    const { changes, unreadable } = await read(await stream(`${odd},${good}`));
    expect(changes).toMatchObject([{ key: "1", row: { name: "Good" } }]);
    expect(unreadable).toEqual([{ key: "2", place, reason: expect.stringMatching(reason) }]);
  });

  it("that shares its key with another one is set aside with it; one that only comes twice is not", async () => {
    const twice = ["A", "B"].map((name) => `{"id":2,"at":"${now}","name":"${name}"}`);
    const items = await stream([...twice, good, good].join(","));
    const { changes, unreadable } = await read(items);
    expect(new Set(changes.map(({ key }) => key))).toEqual(new Set(["1"]));
    expect(unreadable).toEqual([{ key: "2", place: "items", reason: expect.stringContaining("have this key") }]);
    expect(await items.check(never)).toContainEqual(
      expect.objectContaining({ verdict: "problem", code: "E_SOURCE_KEY_AMBIGUOUS" }),
    );
  });

  it("without a key is left out and told of until all rows have one", async () => {
    const items = await stream(`{"id":null,"at":"${now}"},${good}`);
    const { changes, unreadable } = await read(items);
    expect([changes.map(({ key }) => key), unreadable]).toEqual([["1"], []]);
    expect(await items.keyless!(never)).toEqual([
      { place: "items", reason: expect.stringContaining("the key field id of a row is null") },
    ]);
    expect(await allKeys(items)).toEqual(["1"]);
    expect(await items.keyless!(never)).toHaveLength(1);
    const all = { [kind === "rest" ? "rows" : "value"]: [{ id: 1, at: now }] } satisfies JsonObject;
    erp.instead.push({ body: all });
    await allKeys(items);
    expect(await items.keyless!(never)).toEqual([]);
  });

  it.each([
    ["a bad stamp", `{"id":2,"at":"soon"}`, { key: "2", place: "items.at", reason: expect.stringMatching(/holds/) }],
    ["a null key", `{"id":null,"at":"${now}"}`, undefined],
  ])("that comes alone after a restart, with %s, does not stop the stream", async (_what, odd, told) => {
    const { cursor } = await read(await stream(good));
    await erp[Symbol.asyncDispose]();
    const { changes, unreadable } = await read(await stream(odd), cursor);
    expect(changes).toEqual([]);
    expect(unreadable[0]).toEqual(told);
  });

  it("is none where the key field is gone from all rows: the ERP's schema changed", async () => {
    const { cursor } = await read(await stream(good));
    await erp[Symbol.asyncDispose]();
    await expect(read(await stream(`{"no":1,"at":"${now}"}`), cursor)).rejects.toMatchObject({ code: "E_SOURCE_KEY" });
  });

  it("keeps its columns, whatever they are called", async () => {
    const row = `{"id":1,"at":"${now}","constructor":"c","__proto__":"p","toString":"t"}`;
    const { changes } = await read(await stream(row));
    const [change] = changes;
    const found = change?.kind === "upsert" ? Object.entries(change.row) : [];
    expect(found).toContainEqual(["constructor", "c"]);
    expect(found).toContainEqual(["__proto__", "p"]);
    expect(found).toContainEqual(["toString", "t"]);
  });

  it("is none where every row is so: the sync file names the wrong field", async () => {
    const stampless = await stream('{"id":1,"at":"soon"},{"id":2,"at":"later"}');
    await expect(read(stampless)).rejects.toMatchObject({ code: "E_SOURCE_STAMP" });
    await erp[Symbol.asyncDispose]();
    await expect(read(await stream(`{"no":1,"at":"${now}"}`))).rejects.toMatchObject({ code: "E_SOURCE_KEY" });
  });
});

describe("a record in plain values", () => {
  const named: JsonObject = JSON.parse('{"__proto__":{"x":1},"constructor":5,"hasOwnProperty":false}');

  it("keeps members that are called like those of every object", () => {
    const odoo = Object.entries(plainRecord(named, new Map()));
    expect(odoo).toEqual([
      ["__proto__", { x: 1 }],
      ["constructor", 5],
      ["hasOwnProperty", null],
    ] satisfies [string, Json][]);
    expect(Object.entries(plainRow(named))).toEqual(Object.entries(named));
  });

  it("keeps texts that only look like times, such as the country PT", () => {
    const row = { country: "PT", code: "PTH", name: "PT Cargo", at: "PT13H45M00S", short: "PT7M" };
    expect(plainRow(row, new Map([["short", "Edm.Time"]]))).toEqual({ ...row, at: "13:45:00", short: "00:07:00" });
  });
});
