import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LONGEST_TIMER_MS, sleep, untilNext } from "#model";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("sleep", () => {
  it("lasts longer than the longest timer where it is told to", async () => {
    let isOver = false;
    void sleep(LONGEST_TIMER_MS * 2 + 10).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(LONGEST_TIMER_MS * 2 + 9);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
  });

  it("ends early when it is aborted, also in its second timer", async () => {
    const stop = new AbortController();
    let isOver = false;
    void sleep(LONGEST_TIMER_MS * 2, stop.signal).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(LONGEST_TIMER_MS + 10);
    stop.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect([isOver, vi.getTimerCount()]).toEqual([true, 0]);
  });
});

describe("untilNext", () => {
  it("ends for all who wait at the same interval at once, whenever they began", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], now: 0 });
    let ended = 0;
    for (const pauseMs of [0, 300, 450]) {
      await vi.advanceTimersByTimeAsync(pauseMs);
      void untilNext(1_000).then(() => ended++);
    }
    await vi.advanceTimersByTimeAsync(1_000 - (performance.now() % 1_000) - 1);
    expect(ended).toBe(0);
    await vi.advanceTimersByTimeAsync(2);
    expect(ended).toBe(3);
  });
});
