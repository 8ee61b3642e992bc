import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryErp, type MemoryRow } from "../memory-erp.ts";
import { allKeys, poll } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { presetStream } from "./preset-stream.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
const erp = new MemoryErp();
let server: WebServer;
/** Rows that the user may not see are left out of a page without a word. */
let hidden: Set<number>;
/** Third parties that `mode=1` leaves out. */
const suppliers = new Set<number>();

// The database's clock shows 10:00 (UTC); PHP takes its texts for Kolkata time, 19,800 s ahead.
const KOLKATA_S = 19_800;
const wall = (text: string) => Date.parse(`${text.replace(" ", "T")}Z`) * 1000;

const wire = ({ id, name, stamp }: MemoryRow) => ({
  id: String(id),
  name,
  client: "1",
  date_modification: stamp! / 1_000_000 - KOLKATA_S,
});

function dolibarr({ query, headers }: Asked): Told {
  if (headers["dolapikey"] !== "k3y") return { status: 401, body: { error: { code: 401, message: "Unauthorized" } } };
  const filters = query.get("sqlfilters") ?? "";
  const bound = (operator: string) => {
    const value = new RegExp(`\\(t\\.tms:${operator}:'([^']*)'\\)`).exec(filters)?.[1];
    return value === undefined ? undefined : wall(value);
  };
  const after = /\(t\.rowid:>:(\d+)\)/.exec(filters)?.[1];
  const key = /\(t\.rowid:=:(\d+)\)/.exec(filters)?.[1];
  const rows = erp.select({
    from: bound(">="),
    below: bound("<"),
    after: after === undefined ? undefined : Number(after),
    order: query.get("sortfield")?.startsWith("t.tms") ? "stamp" : "id",
    limit: key === undefined ? Number(query.get("limit")) : Number.POSITIVE_INFINITY,
  });
  const isMeant = ({ id }: MemoryRow) => query.get("mode") !== "1" || !suppliers.has(id);
  const seen = rows.filter(({ id }) => !hidden.has(id) && (key === undefined || id === Number(key))).filter(isMeant);
  return seen.length === 0
    ? { status: 404, body: { error: { code: 404, message: "Not Found: No third parties found" } } }
    : { body: seen.map(wire) };
}

beforeEach(async () => {
  erp.rows.clear();
  hidden = new Set();
  suppliers.clear();
  server = await startWebServer(dolibarr);
});
afterEach(() => server[Symbol.asyncDispose]());

function customers(settings: object = {}, read: object = {}) {
  const auth = { kind: "header", name: "DOLAPIKEY", value: "k3y" };
  const zones = { timezone: "Asia/Kolkata", databaseTimezone: "UTC" };
  return presetStream(
    { preset: "dolibarr", url: server.url, auth, ...zones, ...settings },
    { table: "thirdparties", where: { mode: 1 }, size: 10, ...read },
    clock,
  );
}

describe("the preset dolibarr", () => {
  it("reads rows behind those that the user may not see", async () => {
    for (let id = 1; id <= 60; id++) erp.put(id, wall("2026-03-02 08:00:00") + id * 1_000_000);
    for (const id of [3, 4, 15, 31]) hidden.add(id);
    expect(new Set((await poll(await customers())).keys).size).toBe(56);
    expect(new Set(await allKeys(await customers())).size).toBe(56);
  });

  it("takes 404 for no rows", async () => {
    expect((await poll(await customers())).changes).toEqual([]);
  });

  it("takes 404 for no rows behind a warning of PHP, but not a 404 of a proxy", async () => {
    const none = { status: 404, body: '<br />\n<b>Warning</b>: x<br />\n{"error":{"code":404,"message":"Not Found"}}' };
    server.instead.push(none);
    expect((await poll(await customers())).changes).toEqual([]);
    server.instead.push({ status: 404, body: "404 page not found\n" });
    await expect(poll(await customers())).rejects.toMatchObject({ code: "E_SOURCE_NOT_FOUND" });
  });

  it("polls by the database's clock although PHP's is set to another zone", async () => {
    erp.put(1, wall("2026-03-02 09:59:00"));
    const stream = await customers();
    const first = await poll(stream);
    expect(first.keys).toEqual(["1"]);
    expect((await poll(stream, first.cursor)).keys).toEqual(["1"]);
  });

  it("notices that the zones are set wrong", async () => {
    erp.put(1, wall("2026-03-02 09:59:00"));
    await expect(poll(await customers({ timezone: "UTC" }), { read: clock.at })).rejects.toMatchObject({
      code: "E_SOURCE_FILTER_IGNORED",
    });
  });

  it("reads one record", async () => {
    erp.put(1, wall("2026-03-02 09:59:00"));
    expect(await (await customers()).readOne("1", never)).toMatchObject({ id: "1" });
    expect(await (await customers()).readOne("2", never)).toBeUndefined();
  });

  it("reads one record by another key than its id", async () => {
    for (const id of [1, 2]) erp.put(id, wall("2026-03-02 09:59:00"), `K-${id}`);
    expect(await (await customers({}, { key: "name" })).readOne("K-2", never)).toMatchObject({ id: "2" });
  });

  it("keeps a condition with `or` apart from those that it adds", async () => {
    for (let id = 1; id <= 15; id++) erp.put(id, wall("2026-03-02 08:00:00") + id * 1_000_000);
    const sqlfilters = "(t.fk_pays:=:1) or (t.fk_pays:=:5)";
    const stream = await customers({}, { where: { sqlfilters } });
    await poll(stream, (await poll(stream)).cursor);
    await stream.readOne("7", never);
    const asked = server.asked.map(({ query }) => query.get("sqlfilters")!);
    expect(asked.filter((filters) => !filters.startsWith(`(${sqlfilters})`))).toEqual([]);
    expect(asked).toContain(`(${sqlfilters}) and (t.rowid:>:10)`);
    expect(asked.at(-1)).toBe(`(${sqlfilters}) and (t.rowid:=:7)`);
  });

  it("reads no record by its key that the filter of the stream leaves out", async () => {
    erp.put(1, wall("2026-03-02 09:59:00"));
    suppliers.add(1);
    expect(await (await customers()).readOne("1", never)).toBeUndefined();
  });
});
