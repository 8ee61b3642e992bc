import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { restRead, restSettings } from "../../../src/sources/rest/schema.ts";
import { openRest } from "../../../src/sources/rest/source.ts";
import { MemoryErp, micros } from "../memory-erp.ts";
import { allKeys, openContext, poll } from "../reading.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";

const now = Date.parse("2026-03-02T10:00:00Z");
const clock = new SetClock(now);
let erp: MemoryErp;
let server: WebServer;
let answer: (asked: Asked) => Told;

/** An API as many are: `updated_from`, `updated_to`, `after`, pages in several dialects, epoch milliseconds. */
function usual({ query, path }: Asked): Told {
  const one = /^\/v1\/customers\/(\d+)$/.exec(path);
  if (one !== null) {
    const row = erp.rows.get(Number(one[1]));
    return row === undefined ? { status: 404 } : { body: { customer: wire(row) } };
  }
  const limit = Number(query.get("size") ?? 50);
  const offset = Number(query.get("offset") ?? (Number(query.get("page") ?? 1) - 1) * limit);
  const rows = erp.select({
    from: bound(query.get("updated_from")),
    below: bound(query.get("updated_to")),
    after: query.has("after") ? Number(query.get("after")) : undefined,
    order: query.get("sort") === "updated" ? "stamp" : "id",
    offset,
    limit,
  });
  const more = rows.length === limit;
  const link = `?${new URLSearchParams({ ...Object.fromEntries(query), offset: String(offset + limit) }).toString()}`;
  return { body: { data: { rows: rows.map(wire) }, next: more ? link : null, cursor: more ? offset + limit : "" } };
}

const wire = ({ id, name, stamp }: { id: number; name: string; stamp: number | null }) => ({
  id: String(id),
  name,
  updated: stamp === null ? null : Math.floor(stamp / 1000),
});
const bound = (text: string | null) => (text === null ? undefined : Number(text) * 1000);

async function stream(read: object = {}, settings: object = {}) {
  const source = await openRest(
    restSettings.parse({ url: `${server.url}/v1`, timezone: "UTC", ...settings }),
    openContext(clock),
  );
  return source.stream(
    "customers",
    restRead.parse({
      path: "customers",
      range: { updated_from: "{from}", updated_to: "{to}" },
      after: { after: "{key}" },
      orderByChanged: { sort: "updated" },
      orderByKey: { sort: "id" },
      rows: "data.rows",
      key: "id",
      changed: "updated",
      format: "epoch_ms",
      precision: "millisecond",
      paging: { kind: "page", parameter: "page", sizeParameter: "size", size: 10 },
      one: { path: "customers/{key}", row: "customer" },
      ...read,
    }),
  );
}

beforeEach(async () => {
  erp = new MemoryErp();
  answer = usual;
  clock.at = now;
  server = await startWebServer((asked) => ({ headers: { date: new Date(clock.at).toUTCString() }, ...answer(asked) }));
});
afterEach(() => server[Symbol.asyncDispose]());

describe("a configured API", () => {
  it("gives every row of one transaction, though hundreds share a stamp", async () => {
    erp.fill(137, micros("2026-03-01T08:00:00Z"));
    const { changes } = await poll(await stream());
    expect(new Set(changes.map(({ key }) => key)).size).toBe(137);
    expect(changes[0]).toMatchObject({ kind: "upsert", row: { name: "Müller & Söhne 1" } });
  });

  it.each([
    ["once, and at the highest stamp", 1, 1],
    ["behind the stamp that many rows share, and for one page of those", 2, 0],
  ])("asks %s when nothing changed, and stages nothing", async (_what, requests, stepMs) => {
    for (let id = 1; id <= 30; id++) erp.put(id, micros("2026-03-01T08:00:00Z") + id * stepMs * 1000);
    const customers = await stream();
    let { cursor } = await poll(customers);
    for (let polls = 0; polls < 3; polls++) {
      server.asked.length = 0;
      const next = await poll(customers, cursor);
      expect([next.changes, server.asked.length]).toEqual([[], requests]);
      cursor = next.cursor;
    }
  });

  it.each([
    ["page", { kind: "page", parameter: "page", sizeParameter: "size", size: 10 }],
    ["offset", { kind: "offset", parameter: "offset", sizeParameter: "size", size: 10 }],
    ["cursor", { kind: "cursor", parameter: "offset", sizeParameter: "size", size: 10, next: "cursor" }],
    ["link", { kind: "link", sizeParameter: "size", size: 10, next: "next" }],
  ])("reads all keys by %s, also where it cannot go on after a key", async (_kind, paging) => {
    erp.fill(45, micros("2026-03-01T08:00:00Z"));
    const keys = await allKeys(await stream({ paging, after: undefined }));
    expect(new Set(keys).size).toBe(45);
  });

  it("loses no row while others change between counted pages", async () => {
    for (let id = 1; id <= 40; id++) erp.put(id, micros("2026-03-01T08:00:00Z") + id * 1000);
    let touched = 0;
    erp.afterPage = () => {
      if (++touched <= 20) erp.put(touched, (clock.at + 60_000) * 1000);
    };
    const customers = await stream({ after: undefined, orderByChanged: undefined });
    const first = await poll(customers);
    erp.afterPage = () => {};
    clock.at += 300_000;
    const second = await poll(customers, first.cursor);
    expect(new Set([...first.keys, ...second.keys]).size).toBe(40);
  });

  it("notices a filter that the API ignores and stages nothing", async () => {
    erp.fill(5, micros("2026-03-01T08:00:00Z"));
    const customers = await stream();
    const { cursor } = await poll(customers);
    answer = (asked) => {
      asked.query.delete("updated_from");
      return usual(asked);
    };
    await expect(poll(customers, cursor)).rejects.toMatchObject({ code: "E_SOURCE_FILTER_IGNORED", family: "park" });
  });

  it("takes 404 for no rows where that is what it means", async () => {
    answer = () => ({ status: 404, body: { error: "No thirdparties found" } });
    expect((await poll(await stream({ emptyOn404: true }))).changes).toEqual([]);
    await expect(poll(await stream())).rejects.toMatchObject({ code: "E_SOURCE_NOT_FOUND" });
  });

  it("takes 204 for no rows", async () => {
    const customers = await stream();
    const { cursor } = await poll(customers);
    answer = () => ({ status: 204 });
    expect((await poll(customers, cursor)).changes).toEqual([]);
    expect(await allKeys(customers)).toEqual([]);
  });

  it.each(["0001-01-01T00:00:00Z", "0000-00-00 00:00:00", "-0001-11-30T00:00:00+01:00"])(
    "takes the empty date %s for no stamp",
    async (updated) => {
      answer = () => ({ body: { data: { rows: [{ id: "1", updated }] } } });
      const read = { format: "iso", precision: "second", paging: { kind: "none" } };
      expect((await poll(await stream(read))).changes).toMatchObject([{ kind: "upsert", key: "1" }]);
    },
  );

  it.each(["2026-03-02 09:44:%+00", "2026-03-02 15:14:%.25+0530", "2026-03-02T10:44:%+01:00"])(
    "takes %s for an instant, as PostgreSQL and ISO 8601 write it",
    async (updated) => {
      const read = { format: "iso", precision: "second", paging: { kind: "none" }, orderByChanged: undefined };
      const since = async (second: string) => {
        answer = () => ({ body: { data: { rows: [{ id: "1", updated: updated.replace("%", second) }] } } });
        return (await poll(await stream(read), { read: clock.at })).keys;
      };
      expect(await since("58")).toEqual(["1"]);
      await expect(since("57")).rejects.toMatchObject({ code: "E_SOURCE_FILTER_IGNORED" });
    },
  );

  it.each(["404 page not found\n", "<html><title>404 Not Found</title></html>"])(
    "takes no 404 of a proxy for no rows: %s",
    async (body) => {
      const customers = await stream({ emptyOn404: true });
      const { cursor } = await poll(customers);
      answer = () => ({ status: 404, headers: { "content-type": "text/plain" }, body });
      await expect(poll(customers, cursor)).rejects.toMatchObject({ code: "E_SOURCE_NOT_FOUND" });
      await expect(allKeys(customers)).rejects.toMatchObject({ code: "E_SOURCE_NOT_FOUND" });
    },
  );

  it("notices that pages which continue after a key are not sorted by it", async () => {
    erp.fill(45, micros("2026-03-01T08:00:00Z"));
    answer = ({ query }) => {
      const after = Number(query.get("after") ?? 0);
      const rows = [...erp.rows.values()].filter(({ id }) => id > after).toSorted((a, b) => b.id - a.id);
      return { body: { data: { rows: rows.slice(0, 10).map(wire) } } };
    };
    const customers = await stream({ orderByKey: {} });
    await expect(poll(customers)).rejects.toMatchObject({ code: "E_SOURCE_UNSORTED" });
    await expect(allKeys(customers)).rejects.toMatchObject({ code: "E_SOURCE_UNSORTED" });
  });

  it("reads on when a page is cut in the middle, and when the ERP answers 500 once", async () => {
    erp.fill(25, micros("2026-03-01T08:00:00Z"));
    server.instead.push({ body: { data: { rows: [{ id: "1" }] } }, cut: "midBody" }, { status: 500, body: "oops" });
    expect(new Set((await poll(await stream())).keys).size).toBe(25);
  });

  it("keeps numbers that a double would round", async () => {
    answer = () => ({
      body: '{"data":{"rows":[{"id":9007199254740993,"price":1234567890.123456789,"qty":0.10,"updated":1}]}}',
    });
    const { changes } = await poll(await stream({ changed: undefined, paging: { kind: "none" } }));
    expect(changes[0]).toMatchObject({
      key: "9007199254740993",
      row: { id: "9007199254740993", price: "1234567890.123456789", qty: 0.1 },
    });
  });

  it("reads one record, and knows that one is gone", async () => {
    erp.fill(2, micros("2026-03-01T08:00:00Z"));
    const customers = await stream();
    expect(await customers.readOne("2", never)).toMatchObject({ id: "2" });
    expect(await customers.readOne("9", never)).toBeUndefined();
    expect(await (await stream({ one: undefined })).readOne("2", never)).toMatchObject({ id: "2" });
  });

  it("takes no other answer for the news that a record is gone", async () => {
    const customers = await stream();
    answer = () => ({ body: { error: "try again later" } });
    await expect(customers.readOne("9", never)).rejects.toMatchObject({ code: "E_SOURCE_ROWS" });
    for (const customer of [null, []]) {
      answer = (asked) => (asked.path.endsWith("/9") ? { body: { customer } } : usual(asked));
      expect(await customers.readOne("9", never)).toBeUndefined();
    }
  });

  it("walks the list once for many records where there is no path for one", async () => {
    erp.fill(25, micros("2026-03-01T08:00:00Z"));
    const customers = await stream({ one: undefined });
    const before = server.asked.length;
    const found = await customers.readMany!(["2", "24", "99"], never);
    expect([...found.keys()]).toEqual(["2", "24"]);
    expect(found.get("24")).toMatchObject({ id: "24" });
    expect(server.asked.length - before).toBeLessThanOrEqual(3);
    expect(await stream()).not.toHaveProperty("readMany");
  });

  it("asks for a window by one parameter for both of its ends", async () => {
    erp.fill(25, micros("2026-03-02T09:50:00Z"));
    erp.put(26, micros("2026-03-01T08:00:00Z"));
    answer = (asked) => {
      const [from, below] = asked.query.get("updated")?.split("..") ?? [];
      if (from !== undefined) asked.query.set("updated_from", from);
      if (below !== undefined) asked.query.set("updated_to", below);
      return usual(asked);
    };
    const customers = await stream({ range: { updated: "{from}..{to}" } });
    const { keys } = await poll(customers, { read: clock.at });
    expect(new Set(keys)).toEqual(new Set(Array.from({ length: 25 }, (_, n) => String(n + 1))));
  });

  it("finds out that a record is gone although others are changed and made all the time", async () => {
    erp.fill(45, micros("2026-03-01T08:00:00Z"));
    let next = 46;
    erp.afterPage = () => {
      erp.put(next++, micros("2026-03-02T09:00:00Z"));
      erp.put(7, micros("2026-03-02T09:00:00Z") + next * 1000);
    };
    const customers = await stream({ one: undefined, after: undefined });
    expect((await customers.readMany!(["7", "9999"], never)).has("9999")).toBe(false);
  });

  it("walks the list once for all that a list of deletions names, where there is no path for one", async () => {
    erp.fill(25, micros("2026-03-01T08:00:00Z"));
    const gone = ["24", "98", "99"].map((id) => ({ id, at: "2026-03-02T09:00:00Z" }));
    answer = (asked) => (asked.path === "/v1/deleted" ? { body: gone } : usual(asked));
    const deletions = { path: "deleted", key: "id", changed: "at" };
    const customers = await stream({ one: undefined, deletions });
    const deleted: string[] = [];
    for await (const { changes } of customers.deletions!(null, never)) deleted.push(...changes.map(({ key }) => key));
    expect(deleted).toEqual(["98", "99"]);
    expect(server.asked.filter(({ path }) => path === "/v1/customers").length).toBeLessThanOrEqual(4);
  });

  it("takes null in place of an empty list for what it is in Go, but not beside an error", async () => {
    erp.fill(10, micros("2026-03-01T08:00:00Z"));
    answer = (asked) => {
      const told = usual(asked);
      return erp.rows.size > 0 && JSON.stringify(told.body).includes('"id"')
        ? told
        : { body: { data: { rows: null } } };
    };
    const customers = await stream();
    const { keys, cursor } = await poll(customers);
    expect(keys).toHaveLength(10);
    answer = () => ({ body: { data: { rows: null } } });
    expect((await poll(customers, cursor)).keys).toEqual([]);
    answer = () => ({ body: { data: { rows: null }, error: "try again later" } });
    await expect(poll(customers, cursor)).rejects.toMatchObject({ code: "E_SOURCE_ROWS" });
    await expect(allKeys(customers)).rejects.toMatchObject({ code: "E_SOURCE_ROWS" });
  });

  it("does not take an odd row for an empty one", async () => {
    answer = () => ({
      body: {
        data: {
          rows: [
            { id: "2", updated: 1 },
            { id: "1", updated: "soon" },
          ],
        },
      },
    });
    const customers = await stream({ one: undefined, paging: { kind: "none" } });
    await expect(customers.readOne("1", never)).rejects.toMatchObject({ code: "E_ROW_UNREADABLE" });
  });

  it.each(["..", ".", "", "\ud800", "a/../b?c#d", "{from}"])(
    "reads the record whose key is %j, and takes no other address for it",
    async (key) => {
      answer = ({ path }) =>
        path === "/v1/customers"
          ? { body: { data: { rows: [{ id: "1" }, { id: key, name: "Odd" }] } } }
          : path === `/v1/customers/${encodeURIComponent(key)}`
            ? { body: { customer: { id: key, name: "Odd" } } }
            : { status: 404 };
      const customers = await stream({ changed: undefined, paging: { kind: "none" } });
      expect(await customers.readOne(key, never)).toMatchObject({ name: "Odd" });
    },
  );

  it("reads a list without a stamp whole, at every poll", async () => {
    erp.fill(25, micros("2026-03-01T08:00:00Z"));
    const customers = await stream({ changed: undefined, orderByChanged: undefined, range: undefined });
    const first = await poll(customers);
    expect(first.keys).toHaveLength(25);
    expect((await poll(customers, first.cursor)).keys).toHaveLength(25);
  });

  it("comes to the end of a long list although the API counts requests and asks for patience", async () => {
    erp.fill(95, micros("2026-03-01T08:00:00Z"));
    let left = 0;
    answer = (asked) => {
      if (left-- > 0) return usual(asked);
      left = 3;
      return { status: 429, headers: { "retry-after": "0" } };
    };
    const customers = await stream({ one: undefined });
    await expect(allKeys(customers)).rejects.toMatchObject({ code: "E_SOURCE_BUSY" });
    expect(await allKeys(customers)).toHaveLength(95);
    expect(await customers.readMany!(["95"], never)).toHaveProperty("size", 1);
  });

  it.each([
    ["cursor", { kind: "cursor", parameter: "cursor", next: "cursor" }],
    ["link", { kind: "link", next: "next" }],
  ])("begins a list again where the API knows the %s of an earlier poll no more", async (_kind, paging) => {
    const session = { name: "a" };
    answer = ({ query, path }) => {
      const [name, page = "1"] = (query.get("cursor") ?? `${session.name}.1`).split(".");
      if (name !== session.name) return { status: 400, body: { error: "unknown cursor" } };
      const cursor = page === "3" ? null : `${session.name}.${Number(page) + 1}`;
      const next = cursor && `${path}?cursor=${cursor}`;
      return { body: { data: { rows: [{ id: page }] }, cursor, next } };
    };
    const customers = await stream({ changed: undefined, after: undefined, paging });
    const reading = customers.changes(null, never)[Symbol.asyncIterator]();
    const first = await reading.next();
    session.name = "b";
    expect((await poll(customers, first.value!.cursor)).keys).toEqual(["1", "2", "3"]);
  });

  it.each([
    [{ status: 401, body: { message: "bad key s3cret!" } }, "E_SOURCE_LOGIN", "park"],
    [{ status: 403 }, "E_SOURCE_FORBIDDEN", "park"],
    [{ status: 400, body: { error: { message: { value: "unknown field" } } } }, "E_SOURCE_REQUEST", "park"],
    [{ status: 429, headers: { "retry-after": "7" } }, "E_SOURCE_BUSY", "wait"],
    [{ status: 500 }, "E_SOURCE_FAILED", "retry"],
    // The ERP says that it will never do what was asked.
    [{ status: 501, body: { error: { message: "'OR' is not supported" } } }, "E_SOURCE_REQUEST", "park"],
    [{ body: "<html>maintenance</html>" }, "E_SOURCE_ANSWER", "retry"],
    [{ body: { data: 5 } }, "E_SOURCE_ROWS", "park"],
    [{ body: { data: { rows: [{ name: "no key" }] } } }, "E_SOURCE_KEY", "park"],
    [{ body: { data: { rows: [{ id: 1, updated: "soon" }] } } }, "E_SOURCE_STAMP", "park"],
  ])("says what %j means", async (told, code, family) => {
    answer = () => told;
    const customers = await stream({}, { auth: { kind: "bearer", token: "s3cret!" } });
    await expect(poll(customers)).rejects.toMatchObject({
      code,
      family,
      message: expect.not.stringContaining("s3cret!"),
    });
  });

  it("says that a dead ERP cannot be reached", async () => {
    const customers = await stream();
    await server[Symbol.asyncDispose]();
    await expect(poll(customers)).rejects.toMatchObject({ code: "E_SOURCE_UNREACHABLE", family: "retry" });
    server = await startWebServer(usual);
  });

  it("stops when the API gives the same page again and again", async () => {
    erp.fill(25, micros("2026-03-01T08:00:00Z"));
    answer = (asked) => {
      asked.query.delete("after");
      asked.query.delete("page");
      return usual(asked);
    };
    await expect(allKeys(await stream())).rejects.toMatchObject({ code: "E_SOURCE_PAGING" });
  });

  it("refuses a cursor that another adapter made", async () => {
    await expect(poll(await stream(), { file: "x" })).rejects.toMatchObject({ code: "E_SOURCE_CURSOR" });
  });

  it("ends with the abort reason", async () => {
    erp.fill(25, micros("2026-03-01T08:00:00Z"));
    const stop = new AbortController();
    const reading = (await stream()).changes(null, stop.signal)[Symbol.asyncIterator]();
    await reading.next();
    stop.abort(new Error("stopping"));
    await expect(reading.next()).rejects.toThrow("stopping");
  });

  it("checks that rows, stamp and filter hold, and warns of stamps from the future", async () => {
    erp.fill(3, (now - 3_600_000) * 1000);
    const findings = await (await stream()).check(never);
    expect(findings.map(({ verdict }) => verdict)).toEqual(["ok", "ok", "ok"]);
    erp.put(9, (now + 19_800_000) * 1000);
    expect(await (await stream()).check(never)).toContainEqual(
      expect.objectContaining({ verdict: "warning", remedy: expect.stringContaining("timezone") }),
    );
    answer = (asked) => {
      asked.query.delete("updated_from");
      return usual(asked);
    };
    expect(await (await stream()).check(never)).toContainEqual(
      expect.objectContaining({ verdict: "problem", message: expect.stringContaining("E_SOURCE_FILTER_IGNORED") }),
    );
  });
});

const local = (iso: string) => iso.slice(0, 19).replace("T", " ");

describe("a stamp without a zone", () => {
  it("is read through the hour that a clock shows twice", async () => {
    // Clocks in Berlin went back at 2026-10-25T01:00Z, from 03:00 to 02:00.
    const rows: { id: number; updated: string }[] = [];
    answer = ({ query }) => {
      const from = query.get("updated_from") ?? "";
      const below = query.get("updated_to") ?? "9999";
      const found = rows.filter(({ updated }) => updated >= from && updated < below);
      return { body: { data: { rows: found.toSorted((a, b) => a.updated.localeCompare(b.updated)) } } };
    };
    const settings = { timezone: "Europe/Berlin" };
    const read = { format: "local", precision: "second", overlap: "0s", paging: { kind: "none" } };
    const customers = await stream(read, settings);
    clock.at = Date.parse("2026-10-25T00:50:00Z");
    rows.push({ id: 1, updated: local("2026-10-25T02:45:00") });
    const first = await poll(customers);
    expect(first.keys).toEqual(["1"]);
    rows.push({ id: 2, updated: local("2026-10-25T02:58:00") }, { id: 3, updated: local("2026-10-25T02:05:00") });
    clock.at = Date.parse("2026-10-25T01:10:00Z");
    const second = await poll(customers, first.cursor);
    expect(new Set(second.keys)).toEqual(new Set(["1", "2", "3"]));
    rows.push({ id: 4, updated: local("2026-10-25T02:40:00") });
    clock.at = Date.parse("2026-10-25T01:45:00Z");
    expect((await poll(customers, second.cursor)).keys).toContain("4");
  });
});

describe("a stamp with a zone, or a number", () => {
  it.each([
    ["epoch_ms", String, Number],
    ["iso", (ms: number) => new Date(ms).toISOString(), (text: string) => Date.parse(text)],
  ])("is filtered by as %s whatever zone the source has", async (format, write, read) => {
    const rows: { id: number; updated: number }[] = [];
    answer = ({ query }) => {
      const from = query.get("updated_from");
      const found = rows.filter(({ updated }) => from === null || updated >= read(from));
      return { body: { data: { rows: found.map(({ id, updated }) => ({ id, updated: write(updated) })) } } };
    };
    const customers = await stream(
      { format, range: { updated_from: "{from}" }, after: undefined, paging: { kind: "none" } },
      { timezone: "Europe/Berlin" },
    );
    const first = await poll(customers);
    rows.push({ id: 1, updated: clock.at + 60_000 });
    clock.at += 120_000;
    expect((await poll(customers, first.cursor)).keys).toEqual(["1"]);
  });

  it("is refused as a filter where answers have no zone, for the two cannot be compared", async () => {
    const mixed = { format: "local", filterFormat: "iso" };
    await expect(stream(mixed, { timezone: "Europe/Berlin" })).rejects.toMatchObject({ code: "E_SOURCE_SETTINGS" });
    await expect(stream(mixed, { timezone: "UTC" })).resolves.toBeDefined();
  });
});
