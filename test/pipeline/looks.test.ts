import { describe, expect, it, vi } from "vitest";
import type { Claim } from "#store";
import { Looks } from "../../src/pipeline/looks.ts";

const SETTLE_MS = 60_000;

function claimed(begunAt: number): Claim {
  return {
    id: { stream: "customers", key: "1" },
    token: "t",
    sequence: 1,
    row: {},
    deleted: false,
    attempts: 0,
    binding: undefined,
    applied: undefined,
    doubts: undefined,
    intent: { resource: "customer", projection: {}, begunAt, looks: 0, firstLookAt: undefined },
    decision: undefined,
  };
}

describe("looks", () => {
  it("last for the settling time from this process's first look, and not a look longer", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const looks = new Looks(SETTLE_MS);
      expect(looks.leftMs(claimed(1))).toBe(SETTLE_MS);
      vi.advanceTimersByTime(SETTLE_MS / 2);
      expect(looks.leftMs(claimed(1))).toBe(SETTLE_MS / 2);
      vi.advanceTimersByTime(SETTLE_MS / 2);
      expect(looks.leftMs(claimed(1))).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("begin anew for each create of a record: an old look says nothing about a later create", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const looks = new Looks(SETTLE_MS);
      looks.leftMs(claimed(1));
      vi.advanceTimersByTime(24 * SETTLE_MS);
      expect(looks.leftMs(claimed(2))).toBe(SETTLE_MS);
    } finally {
      vi.useRealTimers();
    }
  });
});
