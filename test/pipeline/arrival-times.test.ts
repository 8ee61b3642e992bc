import { describe, expect, it } from "vitest";
import { arrivalText } from "#operator";
import { addArrivals, withArrival } from "#pipeline";
import { arrivalTimes } from "../../src/pipeline/arrival-times.ts";

const HOUR = 3_600_000;
const now = Date.parse("2026-11-22T12:30:00Z");

const counted = (count: number, ms: number): number[] =>
  Array.from({ length: count }, () => ms).reduce<number[]>((counts, each) => withArrival(counts, each), []);

describe("the time of changes from the ERP to the service", () => {
  it("is unknown while nothing was written", () => {
    expect(arrivalTimes([], now)).toBeUndefined();
  });

  it("is the bound that half and 95 % of the changes kept, over the hours and restarts of a day", () => {
    const early = addArrivals([], counted(60, 300), now - 2 * HOUR);
    const some = addArrivals(early, counted(30, 400), now);
    const hours = addArrivals(some, counted(10, 45_000), now + 60_000);
    expect(hours).toHaveLength(2);
    const times = arrivalTimes(hours, now + 60_000);
    expect(times).toEqual({ medianMs: 500, p95Ms: 60_000 });
    expect(arrivalText(times!)).toBe("0.5 s (95 %: 1 min)");
  });

  it("forgets what is more than a day old, and tells what took more than three days", () => {
    const old = addArrivals([], counted(2, 100), now - 25 * HOUR);
    expect(arrivalTimes(old, now)).toBeUndefined();
    const hours = addArrivals(old, counted(1, 10 * 24 * HOUR), now);
    expect(hours).toHaveLength(1);
    expect(arrivalText(arrivalTimes(hours, now)!)).toBe("more than 3 d (95 %: more than 3 d)");
  });
});
