import { describe, expect, it } from "vitest";
import { InParts } from "../../src/store/sqlite/in-parts.ts";
import { PartSize } from "../../src/store/sqlite/part-size.ts";

const noRest = () => Promise.resolve();

/** Parts whose transactions take as long as `msOf` says of the rows that they handled. */
function inParts(msOf: (rows: number) => number) {
  const handled: number[] = [];
  const parts = new InParts(
    {
      async run(work, { took } = {}) {
        const result = work();
        took?.(msOf(handled.at(-1) ?? 0));
        return result;
      },
    },
    noRest,
  );
  return { parts, handled };
}

describe("the size of a part", () => {
  it("follows how long the last one took, and is bounded however quick or slow that was", () => {
    const size = new PartSize();
    const after = (tookMs: number, full = true) => {
      size.took(tookMs, { full });
      return size.rows;
    };
    expect(size.rows).toBe(200);
    expect([after(4), after(0), after(0)]).toEqual([400, 500, 500]);
    expect([after(40), after(8), after(4_000), after(50)]).toEqual([100, 100, 100, 100]);
    expect([after(1), after(1), after(1), after(1)]).toEqual([200, 400, 500, 500]);
    expect([after(1, false), after(10, false)]).toEqual([500, 400]);
  });
});

describe("work on many rows", () => {
  it("takes few of a list in one turn, however long the list is, and fewer where each takes long", async () => {
    const rows = Array.from({ length: 100_000 }, (_, number) => number);
    for (const [msPerRow, most, atEnd] of [
      [0.001, 500, 500],
      [0.05, 200, 160],
      [1, 200, 100],
    ] as const) {
      const { parts, handled } = inParts((count) => count * msPerRow);
      const results = await parts.ofList(rows, (some) => () => {
        handled.push(some.length);
        return some;
      });
      expect(results.flat()).toEqual(rows);
      expect(Math.max(...handled)).toBe(most);
      expect(handled.at(-2)).toBe(atEnd);
    }
  });

  it("runs one step for an empty list, and tells the last part of a list", async () => {
    const { parts } = inParts(() => 1);
    const told = (length: number) =>
      parts.ofList(Array.from({ length }), (some, isLast) => () => [some.length, isLast]);
    expect(await told(0)).toEqual([[0, true]]);
    expect(await told(200)).toEqual([[200, true]]);
    expect(await told(201)).toEqual([
      [200, false],
      [1, true],
    ]);
  });

  it("is repeated with such a limit until nothing is left", async () => {
    const { parts, handled } = inParts((count) => count / 10);
    let left = 1_000;
    const removed = await parts.untilNone((limit) => {
      const count = Math.min(limit, left);
      left -= count;
      handled.push(count);
      return count;
    });
    expect(removed).toBe(1_000);
    expect(handled.slice(0, 3)).toEqual([200, 100, 100]);
  });

  it("goes on where the last part ended", async () => {
    const { parts, handled } = inParts(() => 16);
    const done = parts.through(0, (from: number, rows) => {
      handled.push(rows);
      return { count: 1, next: from < 3 ? from + 1 : undefined };
    });
    expect(await done).toBe(4);
    expect(handled).toEqual([200, 100, 100, 100]);
  });
});
