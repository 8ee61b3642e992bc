import { describe, expect, it, vi } from "vitest";
import type { Clock } from "#model";
import { openStore } from "#store";
import { watchClock } from "../../src/daemon/watch/clock-watch.ts";
import { customer, OOPS, upsert } from "../conformance/store-scene.ts";
import { aReturn } from "../conformance/store-returns.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";
import { OffsetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";

const HOUR_MS = 3_600_000;
const patience = { timeout: 120_000 };

/** A store with one record that is due in ten minutes. */
async function waitingRecord(clock: Clock) {
  const place = await sqlitePlace();
  const store = await openStore(place.dataDir, { as: "daemon", clock, logger: silentLogger });
  await store.stage("customers", { changes: [upsert("1")], cursor: null, backfill: false, complete: true });
  const claim = await store.claim(customer("1"));
  await store.end(claim!, { kind: "retry", error: OOPS, dueAt: clock.now() + 600_000 });
  return {
    store,
    dueInMs: async () => (await store.nextDueAt(["customers"]))! - clock.now(),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

describe("a clock that is set back", () => {
  it("takes due times along while the daemon runs", async () => {
    const clock = new OffsetClock();
    await using waiting = await waitingRecord(clock);
    const end = new AbortController();
    const watch = watchClock({ store: waiting.store, clock, logger: silentLogger }, end.signal);
    await vi.waitFor(async () => expect(await waiting.dueInMs()).toBeLessThanOrEqual(600_000), patience);
    clock.offsetMs -= 3 * HOUR_MS;
    expect(await waiting.dueInMs()).toBeGreaterThan(2 * HOUR_MS);
    await vi.waitFor(async () => expect(await waiting.dueInMs()).toBeLessThan(605_000), patience);
    expect(await waiting.dueInMs()).toBeGreaterThan(500_000);
    end.abort();
    await watch;
  });

  it("takes returns to the ERP along", async () => {
    const clock = new OffsetClock();
    await using waiting = await waitingRecord(clock);
    const { returns } = waiting.store;
    clock.offsetMs += 24 * HOUR_MS;
    await returns.prepare(aReturn("1"), { state: "prepared" });
    const end = new AbortController();
    const watch = watchClock({ store: waiting.store, clock, logger: silentLogger }, end.signal);
    const due = () => returns.find({ states: ["prepared"], dueBy: clock.now(), limit: 9 });
    await vi.waitFor(async () => expect(await due()).toHaveLength(1), patience);
    clock.offsetMs -= 24 * HOUR_MS;
    expect(await due()).toEqual([]);
    await vi.waitFor(async () => expect(await due()).toHaveLength(1), patience);
    end.abort();
    await watch;
  });

  it("is noticed at the start, by what was written last", async () => {
    const clock = new OffsetClock();
    await using waiting = await waitingRecord(clock);
    clock.offsetMs -= HOUR_MS;
    const end = new AbortController();
    const watch = watchClock({ store: waiting.store, clock, logger: silentLogger }, end.signal);
    await vi.waitFor(async () => expect(await waiting.dueInMs()).toBeLessThan(605_000), patience);
    end.abort();
    await watch;
  });

  it("is noticed although the daemon that saw the later time gave back a dead one's claims, and died", async () => {
    const clock = new OffsetClock();
    await using place = await sqlitePlace();
    const open = () => openStore(place.dataDir, { as: "daemon", clock, logger: silentLogger });
    {
      await using store = await open();
      await store.stage("customers", { changes: [upsert("1")], cursor: null, backfill: false, complete: true });
      await store.claim(customer("1"));
    }
    clock.offsetMs += 3 * HOUR_MS;
    await (await open())[Symbol.asyncDispose]();
    clock.offsetMs -= HOUR_MS;
    await using store = await open();
    expect(await store.latestMoment()).toBeGreaterThan(clock.now());
    expect(await store.due({ limit: 1, streams: ["customers"] })).toHaveLength(1);
    const end = new AbortController();
    const watch = watchClock({ store, clock, logger: silentLogger }, end.signal);
    await vi.waitFor(async () => expect(await store.latestMoment()).toBeLessThanOrEqual(clock.now()), patience);
    end.abort();
    await watch;
  });

  it("is followed by as much as it was set back while due times were moved", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      let at = 0;
      const clock = { now: () => at + 24 * HOUR_MS };
      const pass = (ms: number) => {
        vi.advanceTimersByTime(ms);
        at += ms;
      };
      const moved: number[] = [];
      const end = new AbortController();
      const store = {
        latestMoment: async () => clock.now() + HOUR_MS,
        returns: { clockSetBack: async () => undefined },
        clockSetBack: async (byMs: number) => {
          moved.push(byMs);
          // It takes long, and the clock is set again meanwhile.
          pass(8_000);
          if (moved.length === 1) at -= 2 * HOUR_MS;
          else end.abort();
        },
      };
      await watchClock({ store, clock, logger: silentLogger }, end.signal);
      expect(moved).toEqual([HOUR_MS, 2 * HOUR_MS]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("moves nothing when it is set forward: what waited is due", async () => {
    const clock = new OffsetClock();
    await using waiting = await waitingRecord(clock);
    const end = new AbortController();
    const watch = watchClock({ store: waiting.store, clock, logger: silentLogger }, end.signal);
    const dueAt = await waiting.store.nextDueAt(["customers"]);
    clock.offsetMs += HOUR_MS;
    expect(await waiting.store.due({ limit: 1, streams: ["customers"] })).toHaveLength(1);
    end.abort();
    await watch;
    expect(await waiting.store.nextDueAt(["customers"])).toBe(dueAt);
  });
});
