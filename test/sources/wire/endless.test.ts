import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EmptyPages } from "../../../src/sources/wire/walk/paging.ts";
import type { KeyPage, WireTable } from "../../../src/sources/wire/table.ts";
import { walkByKey } from "../../../src/sources/wire/walk/walk-keys.ts";
import { never } from "../../kit/outcome.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Reads all keys of a table whose pages are what `page` says; the number of pages and the error that ended it. */
async function walk(keyset: boolean, page: (count: number) => KeyPage) {
  let pages = 0;
  const table: WireTable = {
    name: "endless",
    stampField: "",
    sorted: false,
    bounded: true,
    keyset,
    byStamp: () => Promise.reject(new Error("not asked")),
    byKey: () => Promise.resolve(page(++pages)),
  };
  const read = async () => {
    for await (const { rows } of walkByKey(table, { kind: "all" }, undefined, never)) expect(rows).toBeDefined();
  };
  const ended = read().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  await vi.advanceTimersByTimeAsync(3_600_000);
  return { pages, thrown: await ended };
}

const row = (key: string) => ({ key, row: {}, stamp: undefined });

describe("a list without an end", () => {
  it.each([true, false])("of empty pages is given up after a hundred, compared by key: %s", async (keyset) => {
    const { pages, thrown } = await walk(keyset, (count) => ({ rows: [], next: `page ${count}` }));
    expect(thrown).toMatchObject({ code: "E_SOURCE_PAGING", family: "park" });
    expect(pages).toBe(100);
  });

  it("of pages that come again in turn is given up at the first that was read before", async () => {
    const { pages, thrown } = await walk(true, (count) => ({ rows: [row(count % 2 ? "A" : "B")], next: "more" }));
    expect(thrown).toMatchObject({ code: "E_SOURCE_PAGING" });
    expect(pages).toBe(3);
  });

  it("of counted pages that begins again at its end is given up after a hundred that were read before", async () => {
    const { pages, thrown } = await walk(false, (count) => {
      if (count > 1_000) throw new Error("it is read on and on");
      return { rows: [row("ABC"[count % 3]!)], next: count };
    });
    expect(thrown).toMatchObject({ code: "E_SOURCE_PAGING", family: "park" });
    expect(pages).toBe(103);
  });

  it("is none while rows come between empty pages", async () => {
    const { pages, thrown } = await walk(true, (count) => ({
      rows: count % 50 === 0 ? [row(String(count))] : [],
      ...(count < 400 ? { next: "more" } : {}),
    }));
    expect([pages, thrown]).toEqual([400, undefined]);
  });

  it("costs the ERP less the longer it is: the pause grows to a second", async () => {
    const empty = new EmptyPages("endless");
    let passed = 0;
    const reading = (async () => {
      for (; passed < 12; passed++) await empty.pass(0, never);
    })();
    // Pauses of 10 ms to 640 ms, each between half of it and the whole; then of a second at most.
    await vi.advanceTimersByTimeAsync(635);
    expect(passed).toBeLessThanOrEqual(7);
    await vi.advanceTimersByTimeAsync(635);
    expect(passed).toBeGreaterThanOrEqual(7);
    await vi.advanceTimersByTimeAsync(5_000);
    await reading;
  });
});
