import { afterEach, describe, expect, it } from "vitest";
import { errorFacts, type Json } from "#model";
import { restRead, restSettings } from "../../../src/sources/rest/schema.ts";
import { openRest } from "../../../src/sources/rest/source.ts";
import { SetClock } from "../../kit/clock.ts";
import { startWebServer, type Told, type WebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { openContext, poll } from "../reading.ts";

let server: WebServer;
afterEach(() => server[Symbol.asyncDispose]());

async function items(told: Told, read: object = {}, list = told) {
  server = await startWebServer((request) => (request.path === "/items" ? list : told));
  const source = await openRest(restSettings.parse({ url: server.url }), openContext(new SetClock(0)));
  return source.stream("items", restRead.parse({ path: "items", rows: "data", key: "id", ...read }));
}

describe("an answer of 200 that is no list", () => {
  it.each<[Json]>([
    [{ data: [], error: "module disabled" }],
    [{ data: [], error: { code: 7, message: "no access" } }],
    [{ data: [], errors: [{ message: "bad query" }] }],
    [{ data: [], success: false }],
    [{ data: [], status: "error" }],
    [{ data: [], status: 500 }],
    [{ data: [], message: "API not found" }],
    [{ data: [], fault: { faultstring: "x" } }],
    [{ data: null, success: false }],
    [{ data: null, status: "failed", message: "quota" }],
    [{ error: "x" }],
    [{ message: "x" }],
  ])("stops the stream: %j", async (body) => {
    await expect(poll(await items({ body }))).rejects.toMatchObject({ code: "E_SOURCE_ROWS" });
  });

  it.each<[Json]>([
    [{ data: [] }],
    [{ data: null }],
    [{ data: [], error: null, errors: [] }],
    [{ data: [], error: false, success: true, status: "ok", message: "OK" }],
    [{ data: [], error: "", code: 0, status: 200 }],
    [{ data: [], message: "No records found" }],
  ])("is an empty list where it reports no error: %j", async (body) => {
    expect((await poll(await items({ body }))).keys).toEqual([]);
  });
});

describe("an answer without a record", () => {
  it.each<[Json, boolean]>([
    [{ item: null }, true],
    [{ item: null, error: "try later" }, false],
    [{ item: [], success: false }, false],
  ])("says that it is gone only if it reports no error: %j", async (body, isGone) => {
    const stream = await items({ body }, { one: { path: "items/{key}", row: "item" } }, { body: { data: [] } });
    const found = await stream.readOne("1", never).catch((thrown: unknown) => errorFacts(thrown).code);
    expect(found).toBe(isGone ? undefined : "E_SOURCE_ROWS");
  });
});

describe("a 404 of a list", () => {
  it.each<[Json | undefined, boolean]>([
    [undefined, true],
    [[], true],
    [{ error: { code: 404, message: "Not Found: No thirdparties found" } }, true],
    [{ error: { code: 404, message: "Not Found: API not found (failed to include API file)" } }, false],
    [{ error: "The module is disabled" }, false],
    [{ message: "Route not found" }, false],
  ])("%j is an empty list: %s", async (body, isEmpty) => {
    const stream = await items({ status: 404, ...(body === undefined ? {} : { body }) }, { emptyOn404: true });
    const keys = await poll(stream).then(
      ({ keys }) => keys,
      (thrown: unknown) => errorFacts(thrown).code,
    );
    expect(keys).toEqual(isEmpty ? [] : "E_SOURCE_NOT_FOUND");
  });
});

describe("a row that is no object", () => {
  it.each<[Json[], string[]]>([
    [
      [{ id: 1 }, "text", { id: 2 }],
      ["1", "2"],
    ],
    [[{ id: 1 }, null], ["1"]],
    [["text"], []],
    [[null], []],
  ])("is told of, and the stream goes on: %j", async (data, keys) => {
    const stream = await items({ body: { data } });
    expect((await poll(stream)).keys).toEqual(keys);
    expect(await stream.keyless!(never)).toEqual([
      { place: "items", reason: expect.stringContaining("but an object is expected") },
    ]);
  });

  it("is none where the list holds nothing else: its path is wrong", async () => {
    await expect(poll(await items({ body: { data: ["a", "b"] } }))).rejects.toMatchObject({ code: "E_SOURCE_ROWS" });
  });
});
