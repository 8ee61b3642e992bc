import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryErp, micros } from "../memory-erp.ts";
import { allKeys, poll } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { presetStream } from "./preset-stream.ts";

const clock = new SetClock(Date.parse("2026-03-02T10:00:00Z"));
const erp = new MemoryErp();
let server: WebServer;
/** Parties that `customer-eq=true` leaves out. */
const suppliers = new Set<number>();
/** Filters that the API knows; all others it ignores without a word. */
let known: RegExp;

const wire = ({ id, name, stamp }: { id: number; name: string; stamp: number | null }) => ({
  id: String(id),
  company: name,
  customer: !suppliers.has(id),
  lastModifiedDate: stamp! / 1000,
});

function tenant({ query, headers }: Asked): Told {
  if (headers["authenticationtoken"] !== "t0ken") return { status: 401, body: { error: "unauthorized" } };
  const number = (name: string) => (known.test(name) && query.has(name) ? Number(query.get(name)) : undefined);
  const from = number("lastModifiedDate-ge");
  const below = number("lastModifiedDate-lt");
  const rows = erp.select({
    from: from === undefined ? undefined : from * 1000,
    below: below === undefined ? undefined : below * 1000,
    after: number("id-gt"),
    order: query.get("sort") === "lastModifiedDate,id" ? "stamp" : "id",
    limit: Math.min(Number(query.get("pageSize") ?? 100), 1000),
  });
  const asked = number("id-eq");
  const found = asked === undefined ? rows : [erp.rows.get(asked)].filter((row) => row !== undefined);
  const isMeant = ({ id }: { id: number }) =>
    query.get("customer-eq") !== "true" || !known.test("customer-eq") || !suppliers.has(id);
  return { body: { result: found.filter(isMeant).map(wire) } };
}

beforeEach(async () => {
  erp.rows.clear();
  suppliers.clear();
  known = /^(lastModifiedDate-(ge|lt)|id-gt|id-eq|customer-eq)$/;
  server = await startWebServer(tenant);
});
afterEach(() => server[Symbol.asyncDispose]());

function party(read: object = {}) {
  const auth = { kind: "header", name: "AuthenticationToken", value: "t0ken" };
  const settings = { preset: "weclapp", url: `${server.url}/webapp/api/v2/`, auth };
  return presetStream(settings, { table: "party", where: { "customer-eq": true }, size: 25, ...read }, clock);
}

describe("the preset weclapp", () => {
  it("reads every row of one millisecond and sends its fixed filter along", async () => {
    erp.fill(80, micros("2026-03-01T09:00:00Z"));
    expect(new Set((await poll(await party())).keys).size).toBe(80);
    expect(server.asked.every(({ query }) => query.get("customer-eq") === "true")).toBe(true);
  });

  it("stops when the tenant ignores the filter", async () => {
    erp.fill(3, micros("2026-03-01T09:00:00Z"));
    const stream = await party();
    const { cursor } = await poll(stream);
    known = /^$/;
    await expect(poll(stream, cursor)).rejects.toMatchObject({ code: "E_SOURCE_FILTER_IGNORED" });
  });

  it.each([
    ["the tenant ignores", { "customer-eq": true }, "has false"],
    ["is misspelt, which the tenant ignores too", { "custmer-eq": true }, "has no such property"],
  ])("stops at a fixed filter that %s", async (_why, where, found) => {
    erp.fill(3, micros("2026-03-01T09:00:00Z"));
    suppliers.add(2);
    known = /^(lastModifiedDate-(ge|lt)|id-gt)$/;
    const stream = await party({ where });
    const ignored = { code: "E_SOURCE_FILTER_IGNORED", message: expect.stringContaining(found) };
    await expect(poll(stream)).rejects.toMatchObject(ignored);
    await expect(allKeys(stream)).rejects.toMatchObject(ignored);
  });

  it("reads on when the server cuts pages shorter than asked", async () => {
    for (let id = 1; id <= 1500; id++) erp.put(id, micros("2026-03-01T09:00:00Z") + id * 1000);
    expect(new Set((await poll(await party({ size: 5000 }))).keys).size).toBe(1500);
  });

  it("lists all keys and reads one record", async () => {
    erp.fill(60, micros("2026-03-01T09:00:00Z"));
    const stream = await party();
    expect(await allKeys(stream)).toHaveLength(60);
    expect(server.asked.at(-1)!.query.get("properties")).toBe("id,customer,lastModifiedDate");
    expect(await stream.readOne("60", never)).toMatchObject({ company: "Müller & Söhne 60" });
    expect(await stream.readOne("61", never)).toBeUndefined();
  });

  it("reads no record by its key that the filter of the stream leaves out", async () => {
    erp.fill(2, micros("2026-03-01T09:00:00Z"));
    suppliers.add(2);
    const stream = await party();
    expect(await stream.readOne("1", never)).toMatchObject({ id: "1" });
    expect(await stream.readOne("2", never)).toBeUndefined();
  });
});
