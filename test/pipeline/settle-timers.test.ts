import { describe, expect, it, vi } from "vitest";
import { SettleTimers } from "../../src/pipeline/deliver/settle-timers.ts";

const SETTLE_MS = 60_000;

const id = { stream: "customers", key: "1" };

describe("looks", () => {
  it("come after a second, then after twice as long each time, and last for the settling time and not a look longer", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const looks = new SettleTimers(SETTLE_MS);
      const waits: number[] = [];
      for (let waitMs = looks.nextMs(id, { begunAt: 1 }); waitMs > 0; waitMs = looks.nextMs(id, { begunAt: 1 })) {
        waits.push(waitMs);
        vi.advanceTimersByTime(waitMs);
      }
      expect(waits).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 28_000]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("come at the same moments for creates that were cut off together", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const looks = new SettleTimers(SETTLE_MS);
      const nextAt = (key: string) => performance.now() + looks.nextMs({ stream: "customers", key }, { begunAt: 1 });
      vi.advanceTimersByTime(100);
      const first = nextAt("1");
      vi.advanceTimersByTime(300);
      expect(nextAt("2")).toBe(first);
      vi.advanceTimersByTime(first - performance.now());
      expect(nextAt("1")).toBe(nextAt("2"));
    } finally {
      vi.useRealTimers();
    }
  });

  it("are two where nothing has to settle: the first may have come before the record", () => {
    const looks = new SettleTimers(0);
    expect(looks.nextMs(id, { begunAt: 1 })).toBeGreaterThanOrEqual(1_000);
    expect(looks.nextMs(id, { begunAt: 1 })).toBe(0);
  });

  it("begin anew for each create of a record: an old look says nothing about a later create", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const looks = new SettleTimers(SETTLE_MS);
      looks.nextMs(id, { begunAt: 1 });
      vi.advanceTimersByTime(24 * SETTLE_MS);
      expect(looks.nextMs(id, { begunAt: 2 })).toBe(1_000);
    } finally {
      vi.useRealTimers();
    }
  });
});
