import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isJsonObject, type Cursor } from "#model";
import { restRead, restSettings } from "../../../src/sources/rest/schema.ts";
import { openRest } from "../../../src/sources/rest/source.ts";
import { SetClock } from "../../kit/clock.ts";
import { type Asked, type Told, type WebServer, startWebServer } from "../../kit/http.ts";
import { never } from "../../kit/outcome.ts";
import { openContext, poll } from "../reading.ts";

const now = Date.parse("2026-03-02T10:00:00Z");
const HOUR = 3_600_000;
const clock = new SetClock(now);

interface Item {
  readonly id: number;
  readonly name: string;
  readonly at: number;
  readonly isHidden?: boolean;
}

/** Whether the API's filter lets a row pass that was stamped at `at`, if rows since `bound` are asked for. */
type Filter = (at: number, bound: number) => boolean;

let rows: Map<number, Item>;
let filter: Filter;
let server: WebServer;

const text = (at: number) => new Date(at).toISOString().slice(0, 19);
const usual: Filter = (at, bound) => at >= bound;
const shifted =
  (ms: number): Filter =>
  (at, bound) =>
    at >= bound + ms;
const cutTo =
  (ms: number): Filter =>
  (at, bound) =>
    Math.floor(at / ms) * ms >= bound;

const minutes: Filter = (at, bound) => Math.floor(at / 60_000) >= Math.floor(bound / 60_000);

/** A list with `since`, sorted by stamp or by id, five rows a page. A record's own address also answers for hidden ones. */
function answer({ path, query }: Asked): Told {
  const one = /^\/items\/(\d+)$/.exec(path);
  if (one !== null) {
    const row = rows.get(Number(one[1]));
    return row === undefined ? { status: 404 } : { body: wire(row) };
  }
  const since = query.get("since");
  const bound = since === null ? -Infinity : Date.parse(`${since.replace(" ", "T")}Z`);
  const offset = Number(query.get("offset") ?? 0);
  const found = [...rows.values()]
    .filter(({ at, isHidden = false }) => !isHidden && (since === null || filter(at, bound)))
    .toSorted((a, b) => (query.get("sort") === "at" ? a.at - b.at : 0) || a.id - b.id);
  return { body: found.slice(offset, offset + 5).map(wire) };
}

const wire = ({ id, name, at }: Item) => ({ id, name, at: text(at) });

async function items({
  sorted = true,
  one = true,
  ...read
}: { sorted?: boolean; one?: boolean; precision?: string } = {}) {
  const source = await openRest(restSettings.parse({ url: server.url }), openContext(clock));
  return source.stream(
    "items",
    restRead.parse({
      path: "items",
      rows: "",
      key: "id",
      changed: "at",
      format: "local",
      range: { since: "{from}" },
      ...(sorted ? { orderByChanged: { sort: "at" } } : {}),
      ...(one ? { one: { path: "items/{key}" } } : {}),
      paging: { kind: "offset", parameter: "offset", size: 5 },
      ...read,
    }),
  );
}

function put(id: number, at: number, more: Partial<Item> = {}): void {
  rows.set(id, { id, name: `item ${id}`, at, ...more });
}

/** Reads everything with a filter that works, some time after the last change. */
async function firstLoad(stream: Awaited<ReturnType<typeof items>>): Promise<Cursor> {
  for (let id = 1; id <= 12; id++) put(id, now - 4 * HOUR + 30_000 + id * 1000);
  const { keys, cursor } = await poll(stream);
  expect(new Set(keys).size).toBe(12);
  return cursor;
}

beforeEach(async () => {
  rows = new Map();
  filter = usual;
  clock.at = now;
  server = await startWebServer((asked) => ({ headers: { date: new Date(clock.at).toUTCString() }, ...answer(asked) }));
});
afterEach(() => server[Symbol.asyncDispose]());

describe("a filter by stamps that leaves out what it should give", () => {
  it.each<[string, Filter, RegExp]>([
    ["reads its bound at UTC-8", shifted(8 * HOUR), /asked from 8 h earlier.*`timezone`/],
    ["reads its bound at UTC-3:30", shifted(3.5 * HOUR), /asked from 3 h 30 min earlier.*`timezone`/],
    ["leaves out its bound", (at, bound) => at > bound, /one unit earlier.*`fromExclusive: true`/],
    ["knows whole minutes only", cutTo(60_000), /a minute earlier.*`precision: minute`/],
    ["knows whole days only", cutTo(24 * HOUR), /asked from \d+ h.* earlier/],
    ["compares texts of another form", (at, bound) => text(at).replace("T", " ") >= text(bound), /asked from/],
    ["gives nothing", () => false, /compare texts|another field/],
  ])("%s: every poll stops and says so, and so does check", async (_what, wrong, message) => {
    for (const sorted of [true, false]) {
      const stream = await items({ sorted });
      const cursor = await firstLoad(stream);
      filter = wrong;
      for (let polls = 0; polls < 2; polls++) {
        clock.at += HOUR;
        put(2, clock.at - 1000, { name: "edited" });
        await expect(poll(stream, cursor)).rejects.toMatchObject({
          code: "E_SOURCE_FILTER_MISSES",
          family: "park",
          message: expect.stringMatching(sorted ? message : /another form, or another field/),
        });
      }
      const findings = await stream.check(never);
      expect(findings).toContainEqual(
        expect.objectContaining({ verdict: "problem", code: "E_SOURCE_FILTER_MISSES", subject: "items: at" }),
      );
    }
  });

  it("is noticed in the middle of a poll, where a page begins with the last stamp of the one before", async () => {
    const stream = await items();
    const cursor = await firstLoad(stream);
    filter = (at, bound) => at > bound;
    // The overlap lies before all of these: only the second page begins at a row's stamp.
    for (let id = 1; id <= 10; id++) put(id, clock.at - 10_000 + (id === 6 ? 5 : id) * 1000);
    await expect(poll(stream, cursor)).rejects.toMatchObject({ code: "E_SOURCE_FILTER_MISSES" });
  });

  it.each([true, false])("is noticed while stamps come late, and each poll looks back (sorted: %s)", async (sorted) => {
    const stream = await items({ sorted });
    let cursor = await firstLoad(stream);
    const late = async (id: number) => {
      clock.at += 10_000;
      put(id, clock.at - 3 * HOUR);
      return await poll(stream, cursor);
    };
    for (const id of [1, 2]) ({ cursor } = await late(id));
    filter = (at, bound) => at > bound;
    await expect(late(3)).rejects.toMatchObject({ code: "E_SOURCE_FILTER_MISSES" });
    filter = usual;
    expect((await late(4)).keys).toEqual(expect.arrayContaining(["3", "4"]));
  });

  it.each<[string, Filter]>([
    ["UTC+1", shifted(-HOUR)],
    ["UTC+5:30", shifted(-5.5 * HOUR)],
  ])("is noticed as before where it reads its bound at %s", async (_what, wrong) => {
    const stream = await items();
    const cursor = await firstLoad(stream);
    filter = wrong;
    await expect(poll(stream, cursor)).rejects.toMatchObject({ code: "E_SOURCE_FILTER_IGNORED" });
  });

  it("is noticed after an upgrade, too: the cursor knows no rows", async () => {
    const stream = await items();
    const cursor = await firstLoad(stream);
    if (isJsonObject(cursor)) delete cursor["newest"];
    expect((await poll(stream, cursor)).keys).toEqual(["12"]);
    filter = shifted(8 * HOUR);
    await expect(poll(stream, cursor)).rejects.toMatchObject({ code: "E_SOURCE_FILTER_MISSES" });
  });

  it("loses nothing once it is corrected", async () => {
    const stream = await items();
    const cursor = await firstLoad(stream);
    filter = shifted(8 * HOUR);
    put(4, clock.at - 2 * HOUR, { name: "edited" });
    await expect(poll(stream, cursor)).rejects.toMatchObject({ code: "E_SOURCE_FILTER_MISSES" });
    filter = usual;
    clock.at += 3 * HOUR;
    expect((await poll(stream, cursor)).keys).toEqual(["4"]);
  });
});

describe("a filter that compares whole minutes", () => {
  it("is named with its remedy", async () => {
    const stream = await items();
    const cursor = await firstLoad(stream);
    filter = minutes;
    await expect(poll(stream, cursor)).rejects.toMatchObject({
      code: "E_SOURCE_FILTER_IGNORED",
      message: expect.stringContaining("Set `precision: minute`"),
    });
  });

  it.each<[string, Filter]>([
    ["both", minutes],
    ["its stamps", cutTo(60_000)],
  ])("loses nothing with `precision: minute`, where it cuts %s", async (_what, cut) => {
    const stream = await items({ precision: "minute" });
    filter = cut;
    let { cursor } = await poll(stream, await firstLoad(stream));
    for (const id of [3, 4, 5]) {
      clock.at += 20_000;
      put(id, clock.at);
      const next = await poll(stream, cursor);
      expect(next.keys).toContain(String(id));
      cursor = next.cursor;
    }
    expect((await stream.check(never)).filter(({ verdict }) => verdict === "problem")).toEqual([]);
  });
});

describe("a known row that is missing for a good reason", () => {
  const gone: [string, () => void][] = [
    ["was deleted", () => rows.delete(12)],
    ["left the list with a new stamp", () => put(12, clock.at - 1000, { isHidden: true })],
    ["left the list without a new stamp", () => put(12, now - 4 * HOUR + 42_000, { isHidden: true })],
    ["got an older stamp", () => put(12, now - 40 * HOUR)],
    ["was deleted with all others", () => rows.clear()],
    ["was deleted with the next ones", () => [9, 10, 11, 12].forEach((id) => rows.delete(id))],
  ];
  it.each(gone)("%s: the stream goes on", async (_what, change) => {
    for (const read of [{}, { sorted: false }, { one: false }]) {
      const stream = await items(read);
      let cursor = await firstLoad(stream);
      change();
      for (let polls = 0; polls < 3; polls++) {
        clock.at += HOUR;
        ({ cursor } = await poll(stream, cursor));
      }
      put(3, clock.at, { name: "edited" });
      expect((await poll(stream, cursor)).keys).toContain("3");
    }
  });

  it("still shows that the filter is wrong, by another row", async () => {
    const stream = await items();
    const cursor = await firstLoad(stream);
    for (const id of [10, 11, 12]) rows.delete(id);
    filter = shifted(8 * HOUR);
    await expect(poll(stream, cursor)).rejects.toMatchObject({ code: "E_SOURCE_FILTER_MISSES" });
  });

  it("changes after each answer, and no poll takes that for a wrong filter", async () => {
    const stream = await items();
    let cursor = await firstLoad(stream);
    for (let polls = 0; polls < 5; polls++) {
      clock.at += 60_000;
      put(12, clock.at);
      const next = await poll(stream, cursor);
      expect(next.keys).toContain("12");
      cursor = next.cursor;
    }
  });
});
