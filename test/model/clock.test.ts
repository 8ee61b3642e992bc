import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LONGEST_TIMER_MS, messageOf, sleep, untilNext, within } from "#model";

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

describe("within", () => {
  it("ends as the work does, and leaves no timer behind", async () => {
    const late = vi.fn<() => void>();
    await expect(within(1_000, Promise.resolve("done"), late)).resolves.toBe("done");
    await expect(within(1_000, Promise.reject(new Error("broken")), late)).rejects.toThrow("broken");
    expect([vi.getTimerCount(), late.mock.calls.length]).toEqual([0, 0]);
  });

  it("ends as `late` says once the work has taken too long", async () => {
    const never = new Promise<never>(() => {});
    const told = within(1_000, never, () => "late");
    const thrown = within(1_000, never, () => {
      throw new Error("no answer");
    }).catch(messageOf);
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(Promise.all([told, thrown])).resolves.toEqual(["late", "no answer"]);
  });
});
