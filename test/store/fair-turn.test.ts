import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FairTurn } from "../../src/store/sqlite/fair-turn.ts";

describe("a turn of the event loop", () => {
  it("is long once reads have followed each other for 20 ms, and the next one is not", async () => {
    let now = 1_000;
    const turn = new FairTurn(() => now);
    expect(turn.isLong()).toBe(false);
    now += 19;
    expect(turn.isLong()).toBe(false);
    now += 1;
    expect(turn.isLong()).toBe(true);
    await nextTurn();
    expect(turn.isLong()).toBe(false);
  });
});
