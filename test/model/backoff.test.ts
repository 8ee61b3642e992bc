import { describe, expect, it } from "vitest";
import { backoffMs } from "#model";

describe("backoffMs", () => {
  it("pauses longer each time, never in step, and at most so long", () => {
    for (let attempt = 1; attempt < 12; attempt++) {
      const whole = Math.min(1000, 100 * 2 ** (attempt - 1));
      const pause = backoffMs({ baseMs: 100, maxMs: 1000 }, attempt);
      expect(pause).toBeGreaterThanOrEqual(whole / 2);
      expect(pause).toBeLessThanOrEqual(whole);
    }
  });
});
