import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import type { ServiceDialect } from "#settings";
import { walk } from "../../src/service/reads/walk.ts";
import { dialect } from "./stand-in.ts";
import { thrownBy } from "../kit/outcome.ts";

const rowsOf = (ids: number[]): JsonObject[] => ids.map((id) => ({ id }));
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

/** Reads a list that `page` serves, and returns the ids in order of their coming and the places that were asked for. */
async function readAll(
  page: (place: { limit: number; offset: number }) => { ids: number[]; total?: number; limit?: number },
  changes: Partial<ServiceDialect> = {},
) {
  const places: { limit: number; offset: number }[] = [];
  const ids: number[] = [];
  const read = (place: { limit: number; offset: number }) => {
    places.push(place);
    const { ids: found, total, limit } = page(place);
    return Promise.resolve({ rows: rowsOf(found), total, limit });
  };
  for await (const rows of walk("customer", read, { ...dialect, pageSize: 10, ...changes }))
    ids.push(...rows.map((row) => Number(row["id"])));
  return { ids, places };
}

const slice = (all: number[], { limit, offset }: { limit: number; offset: number }) =>
  all.slice(offset, offset + limit);

describe("walking a list", () => {
  it.each([0, 1, 9, 10, 11, 20, 35])("reads %d records once each, with a total and without", async (count) => {
    const all = numbers(count);
    const counted = await readAll((place) => ({ ids: slice(all, place), total: count }));
    const uncounted = await readAll((place) => ({ ids: slice(all, place) }));
    expect([counted.ids, uncounted.ids]).toEqual([all, all]);
  });

  it("advances by the rows received, each page beginning with the last row of the one before", async () => {
    const all = numbers(25);
    const { ids, places } = await readAll((place) => ({
      ids: slice(all, { ...place, limit: 7 }),
      total: 25,
      limit: 7,
    }));
    expect(ids).toEqual(all);
    expect(places.map(({ offset }) => offset)).toEqual([0, 6, 12, 18, 24]);
  });

  it("goes on while pages are full although the total is stale", async () => {
    const all = numbers(25);
    const { ids } = await readAll((place) => ({ ids: slice(all, place), total: 10 }));
    expect(ids).toEqual(all);
  });

  it("goes on while rows come although the total is less than what was shown", async () => {
    const all = numbers(25);
    const { ids } = await readAll((place) => ({ ids: slice(all, { ...place, limit: 7 }), total: 5 }));
    expect(ids).toEqual(all);
  });

  it.each([
    ["by offset", [11, 12, 13, 14, 15, 16, 17, 18, 19, 5, 1, 2, 3, 4, 6, 7, 8, 9, 10, 20], {}],
    [
      "by number",
      [11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10],
      { paging: { kind: "page", parameter: "page", first: 0 } },
    ],
  ] satisfies [string, number[], Partial<ServiceDialect>][])(
    "begins again where rows came twice in the place of others, paging %s",
    async (_, reordered, changes) => {
      let order = numbers(20);
      const { ids } = await readAll((place) => {
        const page = slice(order, place);
        order = reordered;
        return { ids: page, total: 20 };
      }, changes);
      expect(ids.toSorted((a, b) => a - b)).toEqual(numbers(20));
    },
  );

  it("reads a list that holds a row twice, and shows it once", async () => {
    const all = [...numbers(12), 3];
    const { ids } = await readAll((place) => ({ ids: slice(all, place), total: 13 }));
    expect(ids).toEqual(numbers(12));
  });

  it("asks for less where a page is empty although rows are left", async () => {
    const all = numbers(25);
    const { ids } = await readAll((place) => ({
      ids: place.limit > 5 && place.offset > 0 ? [] : slice(all, place),
      total: 25,
    }));
    expect(ids).toEqual(all);
  });

  it("fails loudly when the list counts rows that it never shows", async () => {
    const thrown = await thrownBy(readAll((place) => ({ ids: slice(numbers(12), place), total: 30 })));
    expect(thrown).toMatchObject({ family: "retry", code: "E_LIST_UNSTABLE" });
    expect(String(thrown)).toContain("counts 30 records but shows only 12");
  });

  it.each([30, undefined])("notices a server that ignores the offset (total %j)", async (total) => {
    const page = () => ({ ids: numbers(10), ...(total === undefined ? {} : { total }) });
    const thrown = await thrownBy(readAll(page));
    expect(thrown).toMatchObject({ code: "E_LIST_UNSTABLE" });
    expect(String(thrown)).toContain("same page again");
  });

  it("fails when rows move faster than they can be read", async () => {
    let next = 1;
    const thrown = await thrownBy(readAll(() => ({ ids: Array.from({ length: 10 }, () => next++), total: 1_000_000 })));
    expect(String(thrown)).toContain("moved 20 times");
  });

  it("pages by number where the dialect says so", async () => {
    const all = numbers(35);
    const paging = { kind: "page", parameter: "page", first: 1 } as const;
    const { ids, places } = await readAll((place) => ({ ids: slice(all, place) }), { paging });
    expect(ids).toEqual(all);
    expect(places.map(({ offset }) => offset)).toEqual([0, 10, 20, 30, 40]);
  });

  it("reads a page by number again when the total fell meanwhile", async () => {
    let all = numbers(30);
    const paging = { kind: "page", parameter: "page", first: 0 } as const;
    let reads = 0;
    const { ids } = await readAll(
      (place) => {
        if (++reads === 2) all = all.filter((id) => id !== 3);
        return { ids: slice(all, place), total: all.length };
      },
      { paging },
    );
    expect(new Set(ids)).toEqual(new Set(numbers(30)));
    expect(ids).toHaveLength(30);
  });

  it("reads a list without pages at once, and fails when it is not whole", async () => {
    const none = { paging: { kind: "none" } } as const;
    expect((await readAll(() => ({ ids: numbers(35), total: 35 }), none)).ids).toEqual(numbers(35));
    expect(await thrownBy(readAll(() => ({ ids: numbers(10), total: 35 }), none))).toMatchObject({
      code: "E_LIST_UNSTABLE",
    });
    // Nothing counts, and the first page is full: whole by chance, or cut?
    expect((await readAll(() => ({ ids: numbers(10) }), none)).ids).toEqual(numbers(10));
    expect(await thrownBy(readAll((place) => ({ ids: slice(numbers(35), place) }), none))).toMatchObject({
      code: "E_LIST_UNSTABLE",
    });
  });

  it("misses no record that stays, and shows none twice, whatever is added and removed between pages", async () => {
    const change = fc.record({ remove: fc.array(fc.nat(200), { maxLength: 15 }), add: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(120),
        fc.array(change, { maxLength: 6 }),
        fc.boolean(),
        async (count, changes, counted) => {
          let all = numbers(count);
          let next = count + 1;
          const removed = new Set<number>();
          const left = [...changes];
          const { ids } = await readAll((place) => {
            const page = slice(all, place);
            const total = all.length;
            const { remove, add } = left.shift() ?? { remove: [], add: 0 };
            for (const id of remove) removed.add(id);
            all = all.filter((id) => !removed.has(id));
            for (let at = 0; at < add; at++) all.push(next++);
            return { ids: page, ...(counted ? { total } : {}) };
          });
          expect(new Set(ids).size).toBe(ids.length);
          const missed = numbers(count).filter((id) => !removed.has(id) && !ids.includes(id));
          expect(missed).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
