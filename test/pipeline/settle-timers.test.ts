import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SettleTimers } from "../../src/pipeline/deliver/create/settle-timers.ts";

const SETTLE_MS = 60_000;

const id = { stream: "customers", key: "1" };
const intent = { begunAt: 1 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("looks", () => {
  it("come after a second, then after twice as long each time; the last one begins when the settling time is over", () => {
    const timers = new SettleTimers(SETTLE_MS);
    const waits: number[] = [];
    while (timers.look(id, intent) === "news") {
      const waitMs = timers.nextMs(id);
      waits.push(waitMs);
      vi.advanceTimersByTime(waitMs);
    }
    expect(waits).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 28_000]);
  });

  it("are not the last when the settling time ends after they began", () => {
    const timers = new SettleTimers(SETTLE_MS);
    timers.look(id, intent);
    vi.advanceTimersByTime(SETTLE_MS - 1);
    expect(timers.look(id, intent)).toBe("news");
    vi.advanceTimersByTime(5_000);
    expect(timers.nextMs(id)).toBeGreaterThanOrEqual(1_000);
    expect(timers.look(id, intent)).toBe("afresh");
  });

  it("come at the same moments for creates that were cut off together", () => {
    const timers = new SettleTimers(SETTLE_MS);
    const nextAt = (key: string) => {
      timers.look({ stream: "customers", key }, intent);
      return performance.now() + timers.nextMs({ stream: "customers", key });
    };
    vi.advanceTimersByTime(100);
    const first = nextAt("1");
    vi.advanceTimersByTime(300);
    expect(nextAt("2")).toBe(first);
    vi.advanceTimersByTime(first - performance.now());
    expect(nextAt("1")).toBe(nextAt("2"));
  });

  it("are two where nothing has to settle: the first may have come before the record", () => {
    const timers = new SettleTimers(0);
    expect(timers.look(id, intent)).toBe("news");
    expect(timers.nextMs(id)).toBeGreaterThanOrEqual(1_000);
    expect(timers.look(id, intent)).toBe("afresh");
  });

  it("wait until a lost daemon's session has ended, and the settling time after that", () => {
    const timers = new SettleTimers(SETTLE_MS);
    const exposedMs = 5 * SETTLE_MS;
    expect(timers.look(id, intent, exposedMs)).toBe("news");
    expect(timers.nextMs(id)).toBe(exposedMs);
    vi.advanceTimersByTime(exposedMs);
    expect(timers.look(id, intent)).toBe("news");
    vi.advanceTimersByTime(SETTLE_MS - 1);
    expect(timers.look(id, intent)).toBe("news");
    vi.advanceTimersByTime(1);
    expect(timers.look(id, intent)).toBe("afresh");
  });

  it("begin again for each create of a record: an old look says nothing about a later create", () => {
    const timers = new SettleTimers(SETTLE_MS);
    timers.look(id, intent);
    vi.advanceTimersByTime(24 * SETTLE_MS);
    expect(timers.look(id, { begunAt: 2 })).toBe("news");
  });
});
