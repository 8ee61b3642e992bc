import { expect, it, onTestFinished, vi } from "vitest";
import { WaitError } from "#model";
import { Updates } from "../../src/pipeline/deliver/updates.ts";
import { claimed } from "./claimed.ts";

const SETTLE_MS = 60_000;
const EXPOSED_MS = 5 * SETTLE_MS;

it("what a lost daemon may have sent is written until its session has ended, and the settling time after that", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const endsAt = performance.now() + EXPOSED_MS;
  const service = {
    read: () => Promise.resolve({ name: "Old" }),
    update: () => Promise.resolve({ serviceId: 7, dropped: [], status: 200, durationMs: 1 }),
    exposedMs: () => Math.max(0, endsAt - performance.now()),
  };
  const updates = new Updates({ markInFlight: () => Promise.resolve() }, service, SETTLE_MS);
  const binding = { resource: "customer", serviceId: 7 };
  const claim = { ...claimed({ inFlight: { kind: "update", fields: { name: "New" } } }), binding };
  const change = {
    patch: { fields: { name: "New" }, arrays: {} },
    doubts: { name: "New" },
    before: { name: "Old" },
    after: { name: "New" },
  };
  const send = () => updates.send(claim, "customer", change, AbortSignal.timeout(1_000));
  const waitMs = async () => {
    const thrown = await send().catch((error: unknown) => error);
    return thrown instanceof WaitError ? thrown.afterMs : thrown;
  };

  expect(await waitMs()).toBe(EXPOSED_MS + SETTLE_MS);
  vi.advanceTimersByTime(EXPOSED_MS);
  expect(await waitMs()).toBe(SETTLE_MS);
  vi.advanceTimersByTime(SETTLE_MS);
  expect(await send()).toMatchObject({ serviceId: 7, before: { name: "Old" } });
});
