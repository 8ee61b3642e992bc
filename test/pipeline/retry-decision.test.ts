import { describe, expect, it } from "vitest";
import { ParkError, RetryError, StopError, WaitError } from "#model";
import { decideRetry } from "../../src/pipeline/deliver/failures/retry-decision.ts";
import { ParentMissing } from "../../src/pipeline/wanted/resolver.ts";

const policy = { retryBaseMs: 1_000, retryMaxMs: 60_000, retryAttempts: 5 };
const now = 1_000_000;

describe("verdict", () => {
  it("retries with a growing pause and counts the attempt", () => {
    const pauses = [0, 1, 2, 3].map((attempts) => {
      const decided = decideRetry(new RetryError("E_INTERNAL", "x"), now, attempts, false, policy);
      return decided.kind === "retry" ? decided.dueAt - now : Number.NaN;
    });
    pauses.forEach((pause, attempts) => {
      expect(pause).toBeGreaterThanOrEqual(500 * 2 ** attempts);
      expect(pause).toBeLessThanOrEqual(1_000 * 2 ** attempts);
    });
  });

  it("never pauses longer than the longest pause", () => {
    const decided = decideRetry(new RetryError("E_INTERNAL", "x"), now, 40, false, { ...policy, retryAttempts: 100 });
    expect(decided.kind === "retry" && decided.dueAt - now <= policy.retryMaxMs).toBe(true);
  });

  it("parks a record whose attempts are used up, with its last error", () => {
    const decided = decideRetry(new RetryError("E_SERVICE_FAILED", "answered 500"), now, 4, false, policy);
    expect(decided).toMatchObject({ kind: "park", error: { code: "E_ATTEMPTS_EXHAUSTED", details: { attempts: 5 } } });
    expect(decided.kind === "park" && decided.error.message).toContain("answered 500");
  });

  it("counts no attempt while the service is known to be down", () => {
    expect(decideRetry(new RetryError("E_INTERNAL", "x"), now, 4, true, policy).kind).toBe("wait");
  });

  it("waits as long as it was told to, without counting an attempt", () => {
    const decided = decideRetry(new WaitError("E_SERVICE_BUSY", "busy", { afterMs: 7_000 }), now, 4, false, policy);
    expect(decided).toMatchObject({ kind: "wait", dueAt: now + 7_000 });
  });

  it("waits for whole milliseconds, as the store keeps them", () => {
    const decided = decideRetry(new WaitError("E_SERVICE_BUSY", "busy", { afterMs: 0.25 }), now, 4, false, policy);
    expect(decided).toMatchObject({ kind: "wait", dueAt: now + 1 });
  });

  it("waits for missing parents without a due time", () => {
    const parent = { stream: "customers", key: "1" };
    const decided = decideRetry(new ParentMissing([parent], []), now, 0, false, policy);
    expect(decided).toMatchObject({ kind: "wait", parents: [parent] });
    expect(decided).not.toHaveProperty("dueAt");
  });

  it("parks what needs a person, stops for what stops all, and leaves a lost claim to others", () => {
    expect(decideRetry(new ParkError("E_INTERNAL", "x"), now, 0, false, policy).kind).toBe("park");
    expect(decideRetry(new StopError("E_INTERNAL", "x"), now, 0, false, policy).kind).toBe("stop");
    expect(decideRetry(new RetryError("E_CLAIM_LOST", "x"), now, 0, false, policy).kind).toBe("lost");
  });

  it("treats a defect of ours like trouble that may pass, until attempts run out", () => {
    expect(decideRetry(new TypeError("undefined is not a function"), now, 0, false, policy)).toMatchObject({
      kind: "retry",
      error: { code: "E_INTERNAL" },
    });
  });
});
