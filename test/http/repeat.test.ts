import { describe, expect, it } from "vitest";
import { repeating, retryAfterMs } from "#http";
import { ParkError, RetryError, WaitError } from "#model";

const policy = { attempts: 3, baseMs: 1, maxMs: 5 };
const failing = (errors: Error[]) => {
  const left = [...errors];
  let calls = 0;
  const call = () => {
    calls++;
    const error = left.shift();
    return error === undefined ? Promise.resolve("done") : Promise.reject(error);
  };
  return { call, calls: () => calls };
};
const busy = () => new WaitError("E_INTERNAL", "busy", { afterMs: 20 });
const retry = () => new RetryError("E_INTERNAL", "down");

describe("repeating a harmless request", () => {
  it("goes on after errors that pass by themselves", async () => {
    const { call, calls } = failing([retry(), retry()]);
    expect(await repeating(policy, call, undefined)).toBe("done");
    expect(calls()).toBe(3);
  });

  it("gives up after the allowed attempts with the last error", async () => {
    const { call, calls } = failing([retry(), retry(), retry(), retry()]);
    await expect(repeating(policy, call, undefined)).rejects.toThrow("down");
    expect(calls()).toBe(3);
  });

  it("never repeats what a repeat cannot change", async () => {
    const { call, calls } = failing([new ParkError("E_INTERNAL", "no")]);
    await expect(repeating(policy, call, undefined)).rejects.toThrow("no");
    expect(calls()).toBe(1);
  });

  it("leaves waits to the caller unless it is told how long it may wait", async () => {
    await expect(repeating(policy, failing([busy()]).call, undefined)).rejects.toThrow("busy");
    await expect(repeating({ ...policy, waitMs: 10 }, failing([busy()]).call, undefined)).rejects.toThrow("busy");
    expect(await repeating({ ...policy, waitMs: 20 }, failing([busy()]).call, undefined)).toBe("done");
  });

  it("ends a pause with the abort reason", async () => {
    const stop = new AbortController();
    const { call } = failing([retry()]);
    const repeated = repeating({ attempts: 2, baseMs: 3_600_000, maxMs: 3_600_000 }, call, stop.signal);
    setImmediate(() => stop.abort(new Error("stopping")));
    await expect(repeated).rejects.toThrow("stopping");
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");

  it.each([
    ["120", 120_000],
    ["0", 0],
    ["1.5", 1500],
    ["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
    ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("of %j is %j milliseconds", (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });

  it("is told by the other side's clock where the answer carries its date", () => {
    const ours = Date.parse("2026-01-05T02:00:00Z");
    const said = "Mon, 05 Jan 2026 08:00:05 GMT";
    expect(retryAfterMs(said, ours, "Mon, 05 Jan 2026 08:00:00 GMT")).toBe(5_000);
    expect(retryAfterMs(said, ours, "nonsense")).toBe(6 * 3_600_000 + 5_000);
  });
});
