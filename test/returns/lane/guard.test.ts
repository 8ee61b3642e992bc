import { expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "#model";
import { withCounted, guardReturns } from "../../../src/returns/lane/guard.ts";

const NOON = Date.UTC(2026, 10, 2, 12);
const reports = { kind: "reports", guard: undefined } as const;

it("holds more than fifty in an hour, and three times the usual hour, until a person released so many", () => {
  expect(guardReturns(reports, {}, 50, NOON)).toBeUndefined();
  expect(guardReturns(reports, {}, 51, NOON)).toEqual({ at: NOON, count: 51, usual: 0 });
  expect(guardReturns(reports, { released: 1 }, 51, NOON)).toBeUndefined();
  const rate = withCounted(undefined, 40, NOON - DAY_MS);
  expect(guardReturns(reports, { rate }, 120, NOON)).toBeUndefined();
  expect(guardReturns(reports, { rate }, 121, NOON)).toMatchObject({ usual: 40 });
});

it("counts what the hour had before", () => {
  const rate = withCounted(withCounted(undefined, 20, NOON), 25, NOON + 1);
  expect(guardReturns({ ...reports, guard: 50 }, { rate }, 5, NOON + 2)).toBeUndefined();
  expect(guardReturns({ ...reports, guard: 50 }, { rate }, 6, NOON + 2)).toBeDefined();
  expect(guardReturns({ ...reports, guard: 50 }, { rate }, 50, NOON + HOUR_MS)).toBeUndefined();
});

it("forgets what was usual after two weeks", () => {
  const rate = withCounted(withCounted(undefined, 500, NOON), 1, NOON + 20 * DAY_MS);
  expect(guardReturns(reports, { rate }, 60, NOON + 20 * DAY_MS + HOUR_MS)).toMatchObject({ usual: 1 });
});

it("leaves status and state alone unless the sync file gives a number", () => {
  expect(guardReturns({ kind: "state", guard: undefined }, {}, 100_000, NOON)).toBeUndefined();
  expect(guardReturns({ kind: "status", guard: 10 }, {}, 11, NOON)).toBeDefined();
  expect(guardReturns({ kind: "reports", guard: "off" }, {}, 100_000, NOON)).toBeUndefined();
});

it("does not take for usual what a clock counted that was ahead", () => {
  const rate = withCounted(undefined, 500, NOON + 30 * DAY_MS);
  expect(guardReturns(reports, { rate }, 60, NOON)).toMatchObject({ usual: 0 });
  expect(withCounted(rate, 7, NOON).days).toEqual([{ day: Math.floor(NOON / DAY_MS), most: 7 }]);
});
