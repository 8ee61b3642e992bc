import { array, assert, asyncProperty, constantFrom, integer } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "#model";
import { changesByStamp } from "../../../src/sources/wire/walk/changes.ts";
import { ServerClock } from "../../../src/sources/wire/client/server-clock.ts";
import type { KeyPage, Scope, StampPage, WireRow, WireTable } from "../../../src/sources/wire/table.ts";
import type { WallRange } from "../../../src/sources/wire/stamps/wall.ts";
import { walkComplete } from "../../../src/sources/wire/walk/walk-keys.ts";
import { SetClock } from "../../kit/clock.ts";
import { memoryLogger } from "../../kit/logger.ts";
import { never } from "../../kit/outcome.ts";

const SECOND = 1_000_000;

/** A table whose stamps are finer in memory than on the wire, and which changes after every page. */
class ShiftingTable implements WireTable {
  readonly name = "shifting";
  readonly stampField = "changed";
  readonly bounded = true;
  readonly sorted: boolean;
  readonly keyset: boolean;
  readonly rows = new Map<string, { stamp: number | undefined; version: number }>();
  pageSize = 3;
  pages = 0;
  afterPage: () => void = () => {};

  constructor(options: { sorted?: boolean; keyset?: boolean } = {}) {
    this.sorted = options.sorted ?? true;
    this.keyset = options.keyset ?? true;
  }

  async byStamp(range: WallRange): Promise<StampPage> {
    const rows = this.#inside({ kind: "range", range }).toSorted((a, b) => a.stamp! - b.stamp! || +a.key - +b.key);
    return { rows: this.#page(rows, 0), more: rows.length > this.pageSize };
  }

  async byKey(scope: Scope, after: Json | undefined): Promise<KeyPage> {
    const sorted = this.#inside(scope).toSorted((a, b) => +a.key - +b.key);
    const start =
      after === undefined ? 0 : this.keyset ? sorted.findIndex(({ key }) => +key > Number(after)) : Number(after);
    const from = start < 0 ? sorted.length : start;
    const rows = this.#page(sorted, from);
    if (from + this.pageSize >= sorted.length) return { rows };
    return { rows, next: this.keyset ? rows.at(-1)!.key : from + this.pageSize };
  }

  #inside(scope: Scope): { key: string; stamp: number | undefined; version: number }[] {
    const all = [...this.rows].map(([key, row]) => ({ key, ...row }));
    if (scope.kind === "all") return all;
    if (scope.kind === "null") return all.filter(({ stamp }) => stamp === undefined);
    const { from = Number.NEGATIVE_INFINITY, below = Number.POSITIVE_INFINITY } = scope.range;
    return all.filter(({ stamp }) => stamp !== undefined && stamp >= from && stamp < below);
  }

  #page(rows: { key: string; stamp: number | undefined; version: number }[], from: number): WireRow[] {
    this.pages++;
    const page = rows.slice(from, from + this.pageSize).map(({ key, stamp, version }) => ({
      key,
      row: { key, version },
      stamp: stamp === undefined ? undefined : Math.floor(stamp / SECOND) * SECOND,
    }));
    this.afterPage();
    return page;
  }
}

const start = Date.UTC(2026, 0, 31, 10);
/** A poll that was not the first: it goes by stamp. */
const BEGUN = { read: start };

function poller(table: WireTable, at: number, nulls = false) {
  const clock = new SetClock(at);
  const times = { clock: new ServerClock(clock), overlapMs: 60_000, marginMs: 0 };
  const logger = memoryLogger();
  return {
    clock,
    logger,
    changes: (cursor: Json) =>
      changesByStamp({ table, tracks: [{ table, unit: SECOND, zone: "UTC", nulls }], times, logger }, cursor, never),
  };
}

async function keysOf(changes: AsyncIterable<{ changes: readonly { key: string }[]; cursor: Json }>) {
  const keys: string[] = [];
  let cursor: Json = null;
  for await (const batch of changes) {
    keys.push(...batch.changes.map(({ key }) => key));
    cursor = batch.cursor;
  }
  return { keys, cursor };
}

describe("a walk by stamp", () => {
  it("reads rows of one stamp over page borders", async () => {
    const table = new ShiftingTable();
    for (let key = 0; key < 50; key++) table.rows.set(String(key), { stamp: start * 1000 + 5, version: 0 });
    const { keys } = await keysOf(poller(table, start + 10_000).changes(BEGUN));
    expect(new Set(keys).size).toBe(50);
  });

  it("goes on after any batch where it stopped", async () => {
    const table = new ShiftingTable();
    for (let key = 0; key < 40; key++)
      table.rows.set(String(key), { stamp: (start + (key < 20 ? 0 : key * 1000)) * 1000, version: 0 });
    const { changes } = poller(table, start + 100_000);
    const seen = new Set<string>();
    let cursor: Json = BEGUN;
    for (let batches = 0; batches < 100; batches++) {
      const first = await changes(cursor)[Symbol.asyncIterator]().next();
      if (first.done) break;
      for (const { key } of first.value.changes) seen.add(key);
      cursor = first.value.cursor;
    }
    expect(seen.size).toBe(40);
  });

  it("misses no row that stays, however others change between pages", async () => {
    await assert(
      asyncProperty(
        array(integer({ min: 0, max: 9_000 }), { minLength: 1, maxLength: 40 }),
        array(integer({ min: 0, max: 39 }), { maxLength: 40 }),
        integer({ min: 1, max: 5 }),
        constantFrom(null, BEGUN),
        async (offsets, touches, pageSize, cursor) => {
          const table = new ShiftingTable();
          table.pageSize = pageSize;
          for (const [key, offset] of offsets.entries())
            table.rows.set(String(key), { stamp: (start + offset) * 1000, version: 0 });
          const { clock, changes } = poller(table, start + 10_000);
          const queue = [...touches];
          let version = 0;
          table.afterPage = () => {
            const key = String(queue.shift());
            if (table.rows.has(key)) table.rows.set(key, { stamp: (clock.at + 500) * 1000, version: ++version });
          };
          const first = await keysOf(changes(cursor));
          table.afterPage = () => {};
          clock.at += 5_000;
          const second = await keysOf(changes(first.cursor));
          const seen = new Set([...first.keys, ...second.keys]);
          expect([...table.rows.keys()].filter((key) => !seen.has(key))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("sees a transaction that commits late inside the overlap", async () => {
    const table = new ShiftingTable();
    table.rows.set("1", { stamp: start * 1000, version: 0 });
    const { clock, changes } = poller(table, start + 60_000);
    const first = await keysOf(changes(null));
    table.rows.set("2", { stamp: (start + 30_000) * 1000, version: 0 });
    clock.at += 1_000;
    expect((await keysOf(changes(first.cursor))).keys).toContain("2");
  });

  it("reads rows without a stamp at every poll", async () => {
    const table = new ShiftingTable();
    table.rows.set("1", { stamp: start * 1000, version: 0 });
    for (let key = 2; key < 12; key++) table.rows.set(String(key), { stamp: undefined, version: 0 });
    const { changes } = poller(table, start + 1_000, true);
    const first = await keysOf(changes(null));
    expect(first.keys).toHaveLength(11);
    expect((await keysOf(changes(first.cursor))).keys).toHaveLength(11);
  });

  it("begins earlier when the other side's clock went back", async () => {
    const table = new ShiftingTable();
    const { clock, changes } = poller(table, start + 3_600_000);
    const first = await keysOf(changes(null));
    clock.at = start;
    table.rows.set("1", { stamp: (start - 1_000) * 1000, version: 0 });
    expect((await keysOf(changes(first.cursor))).keys).toEqual(["1"]);
  });

  it("sees rows although the clock that stamps them is behind by more than the overlap, and says so once", async () => {
    for (const keyset of [true, false]) {
      const table = new ShiftingTable({ keyset });
      const behind = (seconds: number) => (start - 7_200_000 + seconds * 1000) * 1000;
      for (let key = 0; key < 10; key++) table.rows.set(String(key), { stamp: behind(-key), version: 0 });
      const { clock, changes, logger } = poller(table, start);
      let { cursor } = await keysOf(changes(null));
      for (const minute of [2, 4, 6]) {
        clock.at = start + minute * 60_000;
        const idle = await keysOf(changes(cursor));
        expect(idle.keys).toEqual([]);
        for (const key of ["a", "b"]) table.rows.set(`${minute}${key}`, { stamp: behind(minute * 60), version: 0 });
        const read = await keysOf(changes(idle.cursor));
        expect(read.keys).toEqual([`${minute}a`, `${minute}b`]);
        clock.at += 60_000;
        // One that committed late, and one of the same second.
        table.rows.set(`${minute}c`, { stamp: behind(minute * 60 - 20), version: 0 });
        table.rows.set(`${minute}d`, { stamp: behind(minute * 60), version: 0 });
        const late = await keysOf(changes(read.cursor));
        expect(late.keys).toEqual([`${minute}c`, `${minute}a`, `${minute}b`, `${minute}d`]);
        ({ cursor } = late);
      }
      expect(logger.count("change was stamped below the overlap")).toBe(3);
    }
  });

  it("sees the first rows of a table that was empty although the clock that stamps them is behind", async () => {
    for (const keyset of [true, false]) {
      const table = new ShiftingTable({ keyset });
      const { clock, changes } = poller(table, start);
      let { cursor } = await keysOf(changes(null));
      clock.at += 600_000;
      ({ cursor } = await keysOf(changes(cursor)));
      table.rows.set("1", { stamp: (start - 7_200_000) * 1000, version: 0 });
      const read = await keysOf(changes(cursor));
      expect(read.keys).toEqual(["1"]);
      table.rows.set("2", { stamp: (start - 7_200_000) * 1000, version: 0 });
      expect((await keysOf(changes(read.cursor))).keys).toContain("2");
    }
  });

  it("stops at a row outside the window", async () => {
    const table = new ShiftingTable();
    const { changes } = poller(table, start);
    const first = await keysOf(changes(null));
    table.byStamp = async () => ({
      rows: [{ key: "1", row: {}, stamp: (start - 3 * 86_400_000) * 1000 }],
      more: false,
    });
    await expect(keysOf(changes(first.cursor))).rejects.toMatchObject({ code: "E_SOURCE_FILTER_IGNORED" });
  });

  it("stops at rows that come unsorted", async () => {
    const table = new ShiftingTable();
    const row = (key: string, seconds: number) => ({ key, row: {}, stamp: (start + seconds * 1000) * 1000 });
    table.byStamp = async () => ({ rows: [row("1", 5), row("2", 3)], more: true });
    await expect(keysOf(poller(table, start + 60_000).changes(BEGUN))).rejects.toMatchObject({
      code: "E_SOURCE_UNSORTED",
    });
  });
});

describe("pages that are counted off", () => {
  it("are read again until nothing new shows up", async () => {
    const table = new ShiftingTable({ keyset: false });
    for (let key = 0; key < 30; key++) table.rows.set(String(key), { stamp: start * 1000, version: 0 });
    let gone = 0;
    table.afterPage = () => {
      if (gone < 5) table.rows.delete(String(gone++));
    };
    const seen = new Set<string>();
    for await (const rows of walkComplete(table, { kind: "all" }, never, "key"))
      for (const { key } of rows) seen.add(key);
    expect([...table.rows.keys()].filter((key) => !seen.has(key))).toEqual([]);
    expect(table.pages).toBeGreaterThan(20);
  });

  it.each([
    ["behind all others", 1],
    ["before all others", -1],
  ])("give all keys although new rows come %s all the time", async (_where, step) => {
    const table = new ShiftingTable({ keyset: false });
    for (let key = 1000; key < 1030; key++) table.rows.set(String(key), { stamp: start * 1000, version: 0 });
    const before = [...table.rows.keys()];
    let next = step > 0 ? 1030 : 999;
    table.afterPage = () => {
      if (table.pages % 5 === 0) table.rows.set(String(next), { stamp: start * 1000, version: 0 });
      if (table.pages % 5 === 0) next += step;
    };
    const seen = new Set<string>();
    for await (const rows of walkComplete(table, { kind: "all" }, never, "key"))
      for (const { key } of rows) seen.add(key);
    expect(before.filter((key) => !seen.has(key))).toEqual([]);
    expect(table.pages).toBeLessThan(40);
  });

  it("give a window without an order too", async () => {
    const table = new ShiftingTable({ keyset: false, sorted: false });
    for (let key = 0; key < 20; key++) table.rows.set(String(key), { stamp: (start + key) * 1000, version: 0 });
    expect(new Set((await keysOf(poller(table, start + 1_000).changes(null))).keys).size).toBe(20);
  });
});
