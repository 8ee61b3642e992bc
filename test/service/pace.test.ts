import { describe, expect, it } from "vitest";
import { Pace } from "../../src/service/pace.ts";
import { never, thrownBy } from "./stand-in.ts";

/** A service that lets so many requests pass within any second, and a client that sends as fast as its pace allows. */
function simulate(limit: number, seconds: number, retryAfterMs?: number) {
  let now = 0;
  const pace = new Pace(() => now);
  const passed: number[] = [];
  let refused = 0;
  let total = 0;
  while (now < seconds * 1_000) {
    now += Math.max(pace.reserve(), 1);
    while (passed[0] !== undefined && passed[0] <= now - 1_000) passed.shift();
    if (passed.length < limit) {
      passed.push(now);
      total += 1;
      pace.passed(now);
    } else {
      refused += 1;
      pace.refused(now, retryAfterMs);
    }
  }
  return { pace, refused, total };
}

describe("the pace of the client", () => {
  it.each([20, 40, 100])("finds a limit of %d a second, stays below it and wastes nothing", (limit) => {
    for (const retryAfterMs of [1_000, undefined]) {
      const { pace, refused, total } = simulate(limit, 50, retryAfterMs);
      expect(pace.rate).toBeLessThanOrEqual(limit);
      expect((total + refused) / total).toBeLessThan(1.05);
      expect(total / (limit * 50)).toBeGreaterThan(0.95);
    }
  });

  it("is unknown until the first refusal: nothing is held back", () => {
    const pace = new Pace(() => 0);
    for (let at = 0; at < 1_000; at++) expect(pace.reserve()).toBe(0);
  });

  it("holds every request back for as long as one refusal says", () => {
    let now = 10;
    const pace = new Pace(() => now);
    pace.refused(10, 700);
    expect(pace.reserve()).toBe(700);
    now = 300;
    expect(pace.reserve()).toBeGreaterThanOrEqual(410);
  });

  it("leaves a long pause to the caller", async () => {
    const pace = new Pace(() => 0);
    pace.refused(0, 60_000);
    expect(await thrownBy(pace.turn(never))).toMatchObject({ code: "E_SERVICE_BUSY", afterMs: 60_000 });
  });

  it("grows again when no request was refused for a minute", () => {
    let now = 0;
    const pace = new Pace(() => now);
    for (let at = 0; at < 10; at++) pace.passed(at);
    pace.refused(10);
    now = 2_000;
    pace.reserve();
    const before = pace.rate;
    now += 61_000;
    pace.reserve();
    expect(pace.rate).toBeGreaterThan(before);
  });
});
