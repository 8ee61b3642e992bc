import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ServiceState } from "#service";
import { watchService } from "../../src/daemon/watch/service-watch.ts";
import { SetClock } from "../kit/clock.ts";

const CLOSED: ServiceState = {
  state: "closed",
  probeAt: undefined,
  holdMs: 0,
  perSecond: undefined,
  concurrency: 6,
  requests: 0,
};

/** A service whose breaker the test opens and closes. */
class Scene {
  readonly clock = new SetClock();
  readonly end = new AbortController();
  state = CLOSED;
  pings = 0;
  readonly watching: Promise<void>;

  constructor(ping: () => Promise<void> = () => Promise.resolve()) {
    const service = {
      state: () => this.state,
      ping: () => {
        this.pings += 1;
        return ping();
      },
    };
    this.watching = watchService({ service, clock: this.clock }, this.end.signal);
  }

  openFor(ms: number): void {
    this.state = { ...CLOSED, state: "open", probeAt: this.clock.now() + ms };
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      this.clock.advance(1_000);
      await vi.advanceTimersByTimeAsync(1_000);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end.abort();
    await this.watching;
  }
}

describe("a service that failed and to which nothing is to be sent", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("is asked whether it answers again, once a delivery had the time to find out", async () => {
    await using scene = new Scene();
    scene.openFor(60_000);
    await scene.pass(60_000);
    expect(scene.pings).toBe(0);
    await scene.pass(1_000);
    expect(scene.pings).toBe(1);
  });

  it("is left to the request that probes it", async () => {
    await using scene = new Scene();
    scene.openFor(2_000);
    scene.state = { ...scene.state, state: "half-open" };
    await scene.pass(10_000);
    expect(scene.pings).toBe(0);
  });

  it("is asked again after each pause, and no more when it answered", async () => {
    await using scene = new Scene(() => {
      scene.openFor(4_000);
      return Promise.reject(new Error("no answer"));
    });
    scene.openFor(2_000);
    await scene.pass(3_000);
    expect(scene.pings).toBe(1);
    await scene.pass(5_000);
    expect(scene.pings).toBe(2);
    scene.state = CLOSED;
    await scene.pass(60_000);
    expect(scene.pings).toBe(2);
  });
});
