import { afterEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "#model";
import { odataRead, odataSettings } from "../../../src/sources/odata/schema.ts";
import { openOData } from "../../../src/sources/odata/source.ts";
import { SetClock } from "../../kit/clock.ts";
import { startWebServer, type WebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { allKeys, openContext, poll } from "../reading.ts";
import { odataService } from "./service.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
let server: WebServer;
afterEach(() => server[Symbol.asyncDispose]());

const stamp = "2026-03-01T08:00:00.000Z";
const partner = (id: string, persons: Json, changedAt = stamp): JsonObject => ({
  id,
  name: `Partner ${id}`,
  persons,
  changedAt,
});

async function persons(rows: readonly JsonObject[], read: object = {}) {
  const types = { id: "String", name: "String", persons: "String", changedAt: "DateTimeOffset" };
  const partners = { version: "v4", keys: ["id"], types, rows: () => rows } as const;
  server = await startWebServer((asked) => ({
    headers: { date: new Date(clock.at).toUTCString() },
    ...odataService({ partners }, asked),
  }));
  const source = await openOData(odataSettings.parse({ url: server.url }), openContext(clock));
  const each = { in: "persons", key: "no" };
  const whole = { entity: "partners", changed: "changedAt", emptyStamps: false, select: ["name"], each, ...read };
  return source.stream("persons", odataRead.parse(whole));
}

describe("records that are members of a list inside an entity", () => {
  const rows = [
    partner("A", [
      { no: 1, name: "Ada" },
      { no: 2, name: "Bo" },
    ]),
    partner("B", []),
    partner("C", null),
    partner("D|E", [{ no: 1, name: "Cy" }]),
  ];

  it("are read one by one, with the entity around them, under its key and their own", async () => {
    const stream = await persons(rows);
    const parent = { id: "A", name: "Partner A", changedAt: stamp };
    const { changes, keys } = await poll(stream);
    expect(keys).toEqual(["A|1", "A|2", String.raw`D\|E|1`]);
    expect(changes[0]).toEqual({ kind: "upsert", key: "A|1", row: { no: 1, name: "Ada", parent } });
    expect(await allKeys(stream)).toEqual(keys);
    expect(await stream.readOne(String.raw`D\|E|1`, never)).toMatchObject({ name: "Cy" });
    for (const gone of ["A|3", "Z|1", "A"]) expect(await stream.readOne(gone, never)).toBeUndefined();
  });

  it("are read page by page, also where whole pages have none", async () => {
    const many = Array.from({ length: 30 }, (_, n) => partner(`P${10 + n}`, n % 10 === 9 ? [{ no: n }] : []));
    const stream = await persons(many, { size: 3 });
    const { keys, cursor } = await poll(stream);
    expect(keys).toEqual(["P19|9", "P29|19", "P39|29"]);
    expect(await allKeys(stream)).toEqual(keys);
    many[15] = partner("P25", [{ no: 7 }], "2026-03-02T10:00:00.000Z");
    expect((await poll(stream, cursor)).keys).toEqual(["P25|7"]);
  });

  it("are left alone where the list of one entity cannot be read, and a sweep ends nothing", async () => {
    for (const list of ["persons", [{ name: "no key" }], [{ no: 1 }, { no: 1 }], [3]] as Json[]) {
      const stream = await persons([partner("A", [{ no: 1 }]), partner("B", list)]);
      const { keys, batches } = await poll(stream);
      expect(keys).toEqual(["A|1"]);
      expect(batches.flatMap(({ unreadable = [] }) => unreadable)).toEqual([
        { key: "B", place: "partners", reason: expect.any(String) },
      ]);
      await expect(allKeys(stream)).rejects.toMatchObject({ code: expect.stringMatching(/^E_SOURCE_(ROWS|KEY)$/) });
      await server[Symbol.asyncDispose]();
    }
    server = await startWebServer(() => ({}));
  });

  it("stop the stream where the entity has no such list", async () => {
    const stream = await persons(rows, { each: { in: "person", key: "no" } });
    await expect(poll(stream)).rejects.toMatchObject({
      code: "E_SOURCE_METADATA",
      message: expect.stringContaining("did you mean persons?"),
    });
  });
});
