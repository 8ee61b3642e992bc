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

const wire = ({ id, name, stamp }: { id: number; name: string; stamp: number | null }) => ({
  id: String(id),
  general: { name },
  updatedAt: new Date(stamp! / 1000 + 3_600_000).toISOString().slice(0, 19) + "+01:00",
});

function api({ path, query, headers }: Asked): Told {
  if (headers.authorization !== "Bearer pat") return { status: 401, body: { messages: ["Unauthenticated."] } };
  const one = /\/customers\/(\d+)$/.exec(path);
  if (one !== null) {
    const row = erp.rows.get(Number(one[1]));
    return row === undefined ? { status: 404 } : { body: { data: wire(row) } };
  }
  const criteria = [0, 1, 2].map((n) => [
    query.get(`filter[${n}][key]`),
    query.get(`filter[${n}][op]`),
    query.get(`filter[${n}][value]`),
  ]);
  const bound = (operator: string) => {
    const value = criteria.find(([key, op]) => key === "updatedAt" && op === operator)?.[2];
    return value === undefined || value === null ? undefined : Date.parse(value) * 1000;
  };
  const limit = Math.min(Number(query.get("perPage") ?? 15), 100);
  const page = Number(query.get("page") ?? 1);
  const name = criteria.find(([key, op]) => key === "name" && op === "equals")?.[2];
  const rows = erp.select({
    from: bound("greaterThanOrEquals"),
    below: bound("lessThan"),
    order: query.get("sort") === "updatedAt" ? "stamp" : "id",
    offset: (page - 1) * limit,
    limit,
  });
  return { body: { data: rows.filter((row) => name === undefined || row.name === name).map(wire) } };
}

beforeEach(async () => {
  erp.rows.clear();
  server = await startWebServer(api);
});
afterEach(() => server[Symbol.asyncDispose]());

function customers(read: object = {}) {
  const settings = { preset: "xentral", url: server.url, auth: { kind: "bearer", token: "pat" } };
  return presetStream(settings, { table: "customers", ...read }, clock);
}

describe("the preset xentral", () => {
  it("reads every row of one second, counting pages off inside it", async () => {
    erp.fill(250, micros("2026-03-01T09:00:00Z"));
    erp.put(300, micros("2026-03-01T09:00:01Z"));
    expect(new Set((await poll(await customers())).keys).size).toBe(251);
  });

  it("loses no row of that second while others leave it", async () => {
    erp.fill(250, micros("2026-03-01T09:00:00Z"));
    let touched = 0;
    erp.afterPage = () => {
      if (++touched <= 40) erp.put(touched, (clock.at + 1000) * 1000);
    };
    const stream = await customers();
    const first = await poll(stream);
    erp.afterPage = () => {};
    clock.at += 60_000;
    const second = await poll(stream, first.cursor);
    expect(new Set([...first.keys, ...second.keys]).size).toBe(250);
  });

  it("lists all keys and reads one record", async () => {
    erp.fill(230, micros("2026-03-01T09:00:00Z"));
    const stream = await customers();
    expect(new Set(await allKeys(stream)).size).toBe(230);
    expect(await stream.readOne("7", never)).toMatchObject({ general: { name: "Müller & Söhne 7" } });
  });

  it("reads a record by another key than its id, and none that the filter of the stream leaves out", async () => {
    erp.fill(3, micros("2026-03-01T09:00:00Z"));
    const named = await customers({ key: "general.name" });
    expect(await named.readMany!(["Müller & Söhne 2"], never)).toHaveProperty("size", 1);
    const filtered = await customers({ where: [{ key: "name", op: "equals", value: "Müller & Söhne 2" }] });
    expect(await filtered.readOne("2", never)).toMatchObject({ id: "2" });
    expect(await filtered.readOne("1", never)).toBeUndefined();
  });
});
