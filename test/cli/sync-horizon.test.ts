import { describe, expect, it } from "vitest";
import { horizonMsOf } from "../../src/cli/round.ts";

describe("a sync that a create without an answer is left to", () => {
  it("stays until it is settled, however long that takes: the next run would begin to wait again", () => {
    for (const settleMs of [1_000, 31_000, 3_600_000]) expect(horizonMsOf(settleMs)).toBeGreaterThan(settleMs);
  });

  it("also stays for retries that are due soon where nothing takes long to settle", () => {
    expect(horizonMsOf(0)).toBe(30_000);
  });
});
