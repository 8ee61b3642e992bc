import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RetryError, WaitError } from "#model";
import type { InFlight } from "#store";
import { Updates } from "../../src/pipeline/deliver/update/updates.ts";
import { claimed } from "./claimed.ts";

const SETTLE_MS = 60_000;
const binding = { resource: "customer", serviceId: 7 };

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** One record in a store that several replicas share, and a service that answers or is cut off. */
class Scene {
  /** For how long the service may carry out what a lost replica sends. */
  exposedUntil = 0;
  inFlight: InFlight | undefined;
  marked = 0;
  /** What the queue was told of the number of writes. */
  readonly told: number[] = [];
  /** What the queue knew when the request was sent. */
  knownAtRequest: number | undefined;
  #isCut = false;

  constructor(inFlight?: InFlight) {
    this.inFlight = inFlight;
  }

  replica(): Updates {
    const service = {
      read: () => Promise.resolve({ name: "Old" }),
      update: () => {
        this.knownAtRequest = this.told.at(-1);
        return this.#isCut
          ? Promise.reject(new RetryError("E_SERVICE_UNREACHABLE", "cut off", { outcomeUnknown: true }))
          : Promise.resolve({ serviceId: 7, dropped: [], status: 200, durationMs: 1 });
      },
      exposedMs: () => Math.max(0, this.exposedUntil - performance.now()),
    };
    const markInFlight = async (_: unknown, inFlight: InFlight | undefined) => {
      this.inFlight = inFlight;
      return ++this.marked;
    };
    const tell = async (count: number) => void this.told.push(count);
    return new Updates({ markInFlight }, service, SETTLE_MS, { tell }, () => undefined);
  }

  /** Sends the same version of the record; resolves to the end of the wait that it asks for, or to what it replaced. */
  async send(updates: Updates, key = "1"): Promise<unknown> {
    const claim = { ...claimed({ inFlight: this.inFlight, id: { stream: "customers", key } }), binding };
    const change = {
      patch: { fields: { name: "New" }, arrays: {} },
      doubts: { name: "New" },
      before: { name: "Old" },
      after: { name: "New" },
    };
    try {
      const { before } = await updates.send(claim, "customer", change, AbortSignal.timeout(1_000));
      this.inFlight = undefined;
      return { before };
    } catch (thrown) {
      return thrown instanceof WaitError ? { waitMs: thrown.afterMs } : thrown;
    }
  }

  /** Sends it, and does not see the end. */
  async cut(updates: Updates, key?: string): Promise<void> {
    this.#isCut = true;
    const thrown = await this.send(updates, key);
    if (!(thrown instanceof RetryError)) throw new Error("the update was not cut off");
    this.#isCut = false;
  }
}

const settled = { before: { name: "Old" } };

describe("an update whose end was not seen", () => {
  it("is written again until the session of a lost daemon has ended, and the settling time after that", async () => {
    const scene = new Scene({ kind: "update", fields: { name: "New" } });
    const updates = scene.replica();
    const exposedMs = 5 * SETTLE_MS;
    scene.exposedUntil = performance.now() + exposedMs;

    expect(await scene.send(updates)).toEqual({ waitMs: exposedMs + SETTLE_MS });
    vi.advanceTimersByTime(exposedMs);
    expect(await scene.send(updates)).toEqual({ waitMs: SETTLE_MS });
    vi.advanceTimersByTime(SETTLE_MS);
    expect(await scene.send(updates)).toEqual(settled);
  });

  it("is settled by any replica that saw it long enough ago, whichever wrote it again", async () => {
    const scene = new Scene();
    const [one, other] = [scene.replica(), scene.replica()];
    await scene.cut(one);
    vi.advanceTimersByTime(SETTLE_MS / 2);
    expect(await scene.send(other)).toEqual({ waitMs: SETTLE_MS });
    vi.advanceTimersByTime(SETTLE_MS / 2);
    expect(await scene.send(one)).toEqual(settled);
  });

  it("is not taken for an earlier one that another replica settled", async () => {
    const scene = new Scene();
    const [one, other] = [scene.replica(), scene.replica()];
    await scene.cut(one);
    await scene.send(other);
    vi.advanceTimersByTime(SETTLE_MS);
    expect(await scene.send(other)).toEqual(settled);
    // The mapping changes, the record's version does not.
    await scene.cut(other);
    expect(await scene.send(one)).toEqual({ waitMs: SETTLE_MS });
  });

  it("is not taken for an earlier one that another replica repeated without seeing the end", async () => {
    const scene = new Scene();
    const [one, other] = [scene.replica(), scene.replica()];
    await scene.cut(one);
    vi.advanceTimersByTime(SETTLE_MS);
    await scene.cut(other);
    expect(await scene.send(one)).toEqual({ waitMs: SETTLE_MS });
  });

  it("is waited for again once it was forgotten among ten thousand others", async () => {
    const scene = new Scene();
    const updates = scene.replica();
    await scene.cut(updates, "1");
    const { inFlight } = scene;
    for (let key = 2; key <= 10_001; key++) {
      scene.inFlight = undefined;
      await scene.cut(updates, `${key}`);
    }
    vi.advanceTimersByTime(SETTLE_MS);
    expect(await scene.send(updates, "10001")).toEqual(settled);
    scene.inFlight = inFlight;
    expect(await scene.send(updates, "1")).toEqual({ waitMs: SETTLE_MS });
  });
});

it("tells the queue of each update before its request", async () => {
  const scene = new Scene();
  const updates = scene.replica();
  for (const count of [1, 2]) {
    await scene.send(updates);
    expect(scene.knownAtRequest).toBe(count);
  }
});
