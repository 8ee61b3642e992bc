import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Json, JsonObject } from "#model";
import { Sweeper } from "#pipeline";
import { Scene } from "../../conformance/store-scene.ts";
import { restRead, restSettings } from "../../../src/sources/rest/schema.ts";
import { openRest } from "../../../src/sources/rest/source.ts";
import { SetClock } from "../../kit/clock.ts";
import { startWebServer, type WebServer } from "../../kit/http.ts";
import { silentLogger } from "../../kit/logger.ts";
import { never } from "../../kit/outcome.ts";
import { memoryPlace } from "../../store/memory-place.ts";
import { allKeys, openContext, poll } from "../reading.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
let server: WebServer;
let customers: Map<string, Json>;

beforeEach(async () => {
  customers = new Map<string, Json>([
    [
      "C1",
      [
        { no: 7, name: "Ada" },
        { no: 8, name: "Bo" },
      ],
    ],
    ["C2", [{ no: 7, name: "Cy" }]],
  ]);
  server = await startWebServer(() => ({
    headers: { date: new Date(clock.at).toUTCString() },
    body: [...customers].map(([id, persons]): JsonObject => ({ id, persons })),
  }));
});
afterEach(() => server[Symbol.asyncDispose]());

/** The persons of customers, of an API that shows no single customer. */
async function persons(read: object = {}) {
  const settings = restSettings.parse({ url: server.url, timezone: "UTC" });
  const source = await openRest(settings, openContext(clock));
  const each = { in: "persons", key: "no" };
  return source.stream("persons", restRead.parse({ path: "customers", key: "id", each, ...read }));
}

describe("members of a list in an API without single records", () => {
  it("are found by their own keys when many are asked for", async () => {
    const stream = await persons();
    const asked = ["C1|7", "C1|9", "C2|7", "C3|7", "C1"];
    const found = await stream.readMany!(asked, never);
    expect([...found.keys()]).toEqual(["C1|7", "C2|7"]);
    expect(found.get("C2|7")).toEqual({ no: 7, name: "Cy", parent: { id: "C2" } });
    expect(server.asked).toHaveLength(1);
  });

  it("are not taken for unreadable where another customer's list cannot be read, and for gone where their own cannot", async () => {
    customers.set("C2", "persons");
    const stream = await persons();
    expect([...(await stream.readMany!(["C1|7"], never)).keys()]).toEqual(["C1|7"]);
    await expect(stream.readMany!(["C1|7", "C2|7"], never)).rejects.toMatchObject({ code: "E_SOURCE_ROWS" });
  });

  it("are staged, and never deleted, when a sweep misses them though the API shows them", async () => {
    await using scene = await Scene.open(memoryPlace);
    const stream = await persons();
    // A walk that finds less than there is.
    const keys = vi.fn<typeof stream.keys>((signal) => stream.keys(signal));
    const sweeper = new Sweeper({
      store: scene.store,
      streams: new Map(),
      sources: new Map(),
      clock,
      logger: silentLogger,
      intervalMs: 60_000,
    });
    const sweep = async () => {
      clock.advance(60_000);
      await sweeper.sweepIfDue("persons", { ...stream, keys }, never);
    };
    const record = (key: string) => scene.store.record({ stream: "persons", key });
    await sweep();
    expect(await record("C1|7")).toMatchObject({ deleted: false });
    keys.mockImplementation(async function* () {
      yield ["C1|8", "C2|7"];
    });
    await sweep();
    await sweep();
    expect(await record("C1|7")).toMatchObject({ deleted: false });
    customers.set("C1", [{ no: 8, name: "Bo" }]);
    await sweep();
    await sweep();
    expect(await record("C1|7")).toMatchObject({ deleted: true });
  });

  it("are refused together with a list of deletions, whose keys are those of customers", async () => {
    const deletions = { path: "deleted", key: "id", changed: "at" };
    await expect(persons({ deletions })).rejects.toMatchObject({
      code: "E_SOURCE_SETTINGS",
      message: expect.stringContaining("`each`"),
    });
    const stream = await persons();
    expect(stream.capabilities.deletions).toBe("sweep");
    expect((await poll(stream)).keys).toEqual(await allKeys(stream));
  });
});
