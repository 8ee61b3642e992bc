import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Key } from "#model";
import { restRead, restSettings } from "../../../src/sources/rest/schema.ts";
import { openRest } from "../../../src/sources/rest/source.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { allKeys, openContext, poll } from "../reading.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
const NOT_FOUND: Told = { status: 404, body: { error: { code: 404, message: "Not Found: API not found" } } };

let ids: number[];
/** Whether the module that shows single records is on. */
let isOn: boolean;
let server: WebServer;

function answer({ path }: Asked): Told {
  if (path === "/deleted") return { body: [{ id: 2, at: "2026-03-02T09:59:00" }] };
  const one = /^\/items\/(\d+)$/.exec(path);
  if (one === null) return { body: ids.map((id) => ({ id, name: `item ${id}` })) };
  const id = Number(one[1]);
  return isOn && ids.includes(id) ? { body: { id, name: `item ${id}` } } : NOT_FOUND;
}

async function items() {
  const source = await openRest(restSettings.parse({ url: server.url }), openContext(clock));
  const common = { rows: "", paging: { kind: "none" } };
  const deletions = {
    ...common,
    path: "deleted",
    key: "id",
    changed: "at",
    format: "local",
    range: { since: "{from}" },
  };
  const read = { ...common, path: "items", key: "id", one: { path: "items/{key}" }, deletions };
  return source.stream("items", restRead.parse(read));
}

beforeEach(async () => {
  ids = [1, 2, 3, 4];
  isOn = true;
  server = await startWebServer(answer);
});
afterEach(() => server[Symbol.asyncDispose]());

async function deleted(): Promise<Key[]> {
  const keys: Key[] = [];
  for await (const { changes } of (await items()).deletions!(null, never)) keys.push(...changes.map(({ key }) => key));
  return keys;
}

describe("a 404 of the request for one record", () => {
  it("means that the record is gone where the request shows others that the list has", async () => {
    ids = [1, 3, 4];
    expect(await (await items()).readOne("2", never)).toBeUndefined();
    expect(await deleted()).toEqual(["2"]);
  });

  it("means it where the list has no other record", async () => {
    ids = [];
    expect(await (await items()).readOne("2", never)).toBeUndefined();
  });

  it("means nothing where the request shows none of the list: a module is off", async () => {
    isOn = false;
    const refused = { code: "E_SOURCE_NOT_FOUND", message: expect.stringContaining("does not show 1, 3, 4") };
    await expect((await items()).readOne("2", never)).rejects.toMatchObject(refused);
    await expect(deleted()).rejects.toMatchObject(refused);
  });

  it("costs two more requests a minute, not two for each record", async () => {
    const stream = await items();
    await stream.readOne("1", never);
    server.asked.length = 0;
    for (const key of ["7", "8", "9"]) expect(await stream.readOne(key, never)).toBeUndefined();
    expect(server.asked).toHaveLength(3);
  });
});

describe("a list inside each record", () => {
  it("is read member by member, one by one too, and in a sweep", async () => {
    const server = await startWebServer(({ path }) => {
      const records = [
        { id: 1, name: "Muster AG", people: [{ no: 1, name: "Mia" }] },
        { id: 2, name: "Leer AG", people: [] },
      ];
      const one = records.find(({ id }) => path === `/customers/${id}`);
      return path === "/customers" ? { body: records } : one === undefined ? NOT_FOUND : { body: one };
    });
    await using _ = server;
    const source = await openRest(restSettings.parse({ url: server.url }), openContext(clock));
    const each = { in: "people", key: "no" };
    const read = {
      path: "customers",
      key: "id",
      rows: "",
      paging: { kind: "none" },
      one: { path: "customers/{key}" },
      each,
    };
    const people = source.stream("people", restRead.parse(read));
    const mia = { no: 1, name: "Mia", parent: { id: 1, name: "Muster AG" } };
    expect((await poll(people)).changes).toEqual([{ kind: "upsert", key: "1|1", row: mia }]);
    expect(await allKeys(people)).toEqual(["1|1"]);
    expect(await people.readOne("1|1", never)).toEqual(mia);
    expect(await people.readOne("2|1", never)).toBeUndefined();
  });
});
