import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it, vi } from "vitest";
import type { Clock, RecordId, StreamName } from "#model";
import { systemClock } from "#model";
import { openQueue, type Queue, type QueueHandlers, type QueueLocation } from "#queue";
import { deferred } from "../queue/deferred.ts";
import { OffsetClock } from "../kit/clock.ts";
import { memoryLogger } from "../kit/logger.ts";

/** One place to open queues at, fresh for each test. */
export interface QueuePlace extends AsyncDisposable {
  /** Another call gives another empty queue. */
  fresh(): Promise<QueueLocation>;
}

const patience = { timeout: 30_000, interval: 10 };
/** Long enough for a second delivery or poll to show itself, were there one. */
const quietMs = 300;

const live = { backfill: false };
const backfill = { backfill: true };
const nothing: QueueHandlers = { deliver: async () => undefined, poll: async () => undefined };

const record = (key: string, stream = "customers"): RecordId => ({ stream, key });

/** What every queue promises, whatever it runs on. */
export function describeQueue(name: string, open: () => Promise<QueuePlace>): void {
  describe(`a queue on ${name}`, () => {
    let place: QueuePlace;
    let location: QueueLocation;
    let queue: Queue;
    const others: Queue[] = [];

    beforeAll(async () => {
      place = await open();
    });
    afterAll(() => place[Symbol.asyncDispose]());
    beforeEach(async () => {
      location = await place.fresh();
      queue = await another();
    });
    afterEach(async () => {
      for (const opened of others.splice(0)) await opened[Symbol.asyncDispose]();
    });

    async function another(clock: Clock = systemClock): Promise<Queue> {
      const opened = await openQueue(location, { clock, logger: memoryLogger() });
      others.unshift(opened);
      return opened;
    }

    it("delivers each record that was woken, whatever its key holds", async () => {
      const keys = ["1", "a:b", "a|b", 'quote " \\', "ünïcödé €", "nul \u0000", "half \ud800", "x".repeat(500), ""];
      const delivered: RecordId[] = [];
      await queue.start({ ...nothing, deliver: async (id) => void delivered.push(id) }, { concurrency: 4 });
      await queue.wake(
        keys.map((key) => record(key)),
        live,
      );
      await vi.waitFor(() => expect(delivered).toHaveLength(keys.length), patience);
      expect(new Set(delivered.map(({ key }) => key))).toEqual(new Set(keys));
    });

    it("delivers a record again that is woken during its delivery or after it", async () => {
      const first = deferred();
      let count = 0;
      const deliver = async () => {
        if (++count === 1) await first.promise;
      };
      await queue.start({ ...nothing, deliver }, { concurrency: 4 });
      await queue.wake([record("1")], live);
      await vi.waitFor(() => expect(count).toBe(1), patience);
      await queue.wake([record("1")], live);
      await vi.waitFor(() => expect(count).toBe(2), patience);
      first.resolve();
      await vi.waitFor(async () => expect(await queue.depth()).toEqual({ waiting: 0, active: 0 }), patience);
      await queue.wake([record("1")], live);
      await vi.waitFor(() => expect(count).toBe(3), patience);
    });

    it("handles live changes before those of a backfill, whatever stood in the queue first", async () => {
      const old = Array.from({ length: 20 }, (_, at) => record(`old ${at}`));
      const fresh = Array.from({ length: 20 }, (_, at) => record(`new ${at}`));
      await queue.wake(old, backfill);
      await queue.wake(fresh, live);
      const delivered: string[] = [];
      await queue.start({ ...nothing, deliver: async ({ key }) => void delivered.push(key) }, { concurrency: 1 });
      await vi.waitFor(() => expect(delivered).toHaveLength(40), patience);
      expect(delivered).toEqual([...fresh, ...old].map(({ key }) => key));
    });

    it("calls deliver at most `concurrency` times at once", async () => {
      const ids = Array.from({ length: 60 }, (_, at) => record(String(at)));
      let running = 0;
      let most = 0;
      let count = 0;
      const deliver = async () => {
        most = Math.max(most, ++running);
        await pause(20);
        running--;
        count++;
      };
      await queue.wake(ids, live);
      await queue.start({ ...nothing, deliver }, { concurrency: 7 });
      await vi.waitFor(() => expect(count).toBe(60), patience);
      expect(most).toBe(7);
    });

    it("goes on after a handler that threw", async () => {
      const delivered: string[] = [];
      const deliver = async ({ key }: RecordId) => {
        delivered.push(key);
        if (key === "bad") throw new Error("a defect");
      };
      await queue.start({ ...nothing, deliver }, { concurrency: 1 });
      await queue.wake([record("bad"), record("good")], live);
      await vi.waitFor(() => expect(delivered).toEqual(["bad", "good"]), patience);
      await vi.waitFor(async () => expect(await queue.depth()).toEqual({ waiting: 0, active: 0 }), patience);
    });

    it("lets a live change overtake a backfill that is being delivered", async () => {
      const old = Array.from({ length: 200 }, (_, at) => record(`old ${at}`));
      const delivered: string[] = [];
      const first = deferred();
      const deliver = async ({ key }: RecordId) => {
        delivered.push(key);
        await first.promise;
        // Who fetches the live one may be slower than who fetches the next of the old, on a machine that stalls.
        if (delivered.length > 60 && !delivered.includes("new")) await pause(100);
      };
      await queue.start({ ...nothing, deliver }, { concurrency: 2 });
      await queue.wake(old, backfill);
      await vi.waitFor(() => expect(delivered.length).toBeGreaterThan(0), patience);
      await queue.wake([record("new")], live);
      first.resolve();
      await vi.waitFor(() => expect(delivered).toHaveLength(201), patience);
      expect(delivered.indexOf("new")).toBeLessThan(100);
    });

    it("keeps one number for whoever comes to the same place, and none at first", async () => {
      expect(await queue.mark()).toBeUndefined();
      await queue.saveMark(7);
      await queue.saveMark(2_147_483_648);
      expect(await (await another()).mark()).toBe(2_147_483_648);
      expect(await queue.mark("writes")).toBeUndefined();
      await queue.saveMark(9, "writes");
      expect(await (await another()).mark("writes")).toBe(9);
      expect(await (await another()).mark()).toBe(2_147_483_648);
    });

    it("takes a thousand wake-ups and more at once", async () => {
      const ids = Array.from({ length: 2_500 }, (_, at) => record(String(at)));
      await queue.wake(ids, backfill);
      const delivered = new Set<string>();
      await queue.start({ ...nothing, deliver: async ({ key }) => void delivered.add(key) }, { concurrency: 8 });
      await vi.waitFor(() => expect(delivered.size).toBe(2_500), patience);
    });

    it("polls a stream at once and then at its interval", async () => {
      const at: number[] = [];
      let seldom = 0;
      const poll = async (stream: string) => void (stream === "customers" ? at.push(Date.now()) : seldom++);
      await queue.start({ ...nothing, poll }, { concurrency: 1 });
      const began = Date.now();
      const everyMs = 1_000;
      await queue.schedulePolls(
        new Map([
          ["customers", { everyMs }],
          ["contacts", { everyMs: 3_600_000 }],
        ]),
      );
      await vi.waitFor(() => expect(at.length).toBeGreaterThanOrEqual(3), patience);
      await vi.waitFor(() => expect(seldom).toBe(1), patience);
      // The first may come late on a busy machine, the third never early.
      expect(at[2]! - began).toBeGreaterThanOrEqual(2 * everyMs);
    });

    it("moves nothing when the same polls are scheduled again", async () => {
      let count = 0;
      await queue.start({ ...nothing, poll: async () => void count++ }, { concurrency: 1 });
      const polls = new Map([["customers", { everyMs: 60_000 }]]);
      for (let times = 0; times < 3; times++) await queue.schedulePolls(polls);
      await vi.waitFor(() => expect(count).toBe(1), patience);
      await queue.schedulePolls(polls);
      await pause(quietMs);
      expect(count).toBe(1);
    });

    it.each([-3_600_000, 3_600_000])("moves nothing either where its owner's clock is %d ms ahead", async (aheadMs) => {
      let count = 0;
      const owned = await another(new OffsetClock(aheadMs));
      await owned.start({ ...nothing, poll: async () => void count++ }, { concurrency: 1 });
      const polls = new Map([["customers", { everyMs: 60_000 }]]);
      await owned.schedulePolls(polls);
      await vi.waitFor(() => expect(count).toBe(1), patience);
      await owned.schedulePolls(polls);
      await pause(quietMs);
      expect(count).toBe(1);
    });

    it("polls at once when it is started or opened again, although the schedule outlived the end", async () => {
      const polls = new Map([["customers", { everyMs: 60_000 }]]);
      for (const opened of [queue, queue, await another()]) {
        let count = 0;
        await opened.start({ ...nothing, poll: async () => void count++ }, { concurrency: 1 });
        await opened.schedulePolls(polls);
        await vi.waitFor(() => expect(count).toBe(1), patience);
        await opened.stop(1_000);
      }
    });

    it("polls a stream at once that is named later, and the others when their time comes", async () => {
      const everyMs = 3_600_000;
      const polled: StreamName[] = [];
      await queue.start({ ...nothing, poll: async (stream) => void polled.push(stream) }, { concurrency: 1 });
      await queue.schedulePolls(new Map([["customers", { everyMs }]]));
      await vi.waitFor(() => expect(polled).toEqual(["customers"]), patience);
      const both = new Map([
        ["customers", { everyMs }],
        ["contacts", { everyMs }],
      ]);
      await queue.schedulePolls(both);
      await vi.waitFor(() => expect(polled).toContain("contacts"), patience);
      await pause(quietMs);
      expect(polled).toEqual(["customers", "contacts"]);
    });

    it("no longer polls a stream that is not named", async () => {
      const polled: StreamName[] = [];
      await queue.start({ ...nothing, poll: async (stream) => void polled.push(stream) }, { concurrency: 1 });
      await queue.schedulePolls(
        new Map([
          ["customers", { everyMs: 100 }],
          ["tickets", { everyMs: 100 }],
        ]),
      );
      await vi.waitFor(() => expect(new Set(polled)).toEqual(new Set(["customers", "tickets"])), patience);
      await queue.schedulePolls(new Map([["tickets", { everyMs: 100 }]]));
      await pause(quietMs);
      polled.length = 0;
      await vi.waitFor(() => expect(polled.length).toBeGreaterThan(3), patience);
      expect(new Set(polled)).toEqual(new Set(["tickets"]));
    });

    it("never calls poll twice at once for one stream, by any process on the same queue", async () => {
      let running = 0;
      let most = 0;
      let count = 0;
      const poll = async () => {
        most = Math.max(most, ++running);
        await pause(250);
        running--;
        count++;
      };
      const second = await another();
      const polls = new Map([["customers", { everyMs: 100 }]]);
      for (const opened of [queue, second]) {
        await opened.start({ ...nothing, poll }, { concurrency: 1 });
        await opened.schedulePolls(polls);
        await opened.pollNow("customers");
      }
      await vi.waitFor(() => expect(count).toBeGreaterThanOrEqual(6), patience);
      expect(most).toBe(1);
    });

    it("polls once more when asked for a poll during one, beside the schedule", async () => {
      const first = deferred();
      let count = 0;
      const poll = async () => {
        if (++count === 1) await first.promise;
      };
      await queue.start({ ...nothing, poll }, { concurrency: 1 });
      await queue.pollNow("customers");
      await vi.waitFor(() => expect(count).toBe(1), patience);
      await queue.pollNow("customers");
      await queue.pollNow("customers");
      first.resolve();
      await vi.waitFor(() => expect(count).toBe(2), patience);
      await pause(quietMs);
      expect(count).toBe(2);
    });

    it("does not let a long poll hold up deliveries, nor the other way round", async () => {
      const end = deferred();
      const begun: string[] = [];
      const handlers: QueueHandlers = {
        async deliver({ key }) {
          begun.push(key);
          if (key === "slow") await end.promise;
        },
        async poll(stream) {
          begun.push(stream);
          if (stream === "slow stream") await end.promise;
        },
      };
      await queue.start(handlers, { concurrency: 2 });
      await queue.pollNow("slow stream");
      await queue.wake([record("slow")], live);
      await vi.waitFor(() => expect(begun).toHaveLength(2), patience);
      await queue.wake([record("quick")], live);
      await queue.pollNow("quick stream");
      await vi.waitFor(() => expect(begun).toHaveLength(4), patience);
      end.resolve();
    });

    it("aborts running polls at once when it stops, and still waits for running deliveries", async () => {
      const end = deferred();
      const begun = { delivery: deferred(), poll: deferred() };
      const aborted = { delivery: false, poll: deferred() };
      const deliver = async (_id: RecordId, signal: AbortSignal) => {
        begun.delivery.resolve();
        await end.promise;
        aborted.delivery = signal.aborted;
      };
      const poll = async (_stream: string, signal: AbortSignal) => {
        signal.addEventListener("abort", () => aborted.poll.resolve());
        begun.poll.resolve();
        await aborted.poll.promise;
      };
      await queue.start({ deliver, poll }, { concurrency: 1 });
      await queue.wake([record("1")], live);
      await queue.pollNow("customers");
      await Promise.all([begun.delivery.promise, begun.poll.promise]);
      const stopped = queue.stop(60_000);
      await aborted.poll.promise;
      end.resolve();
      await stopped;
      expect(aborted.delivery).toBe(false);
    });

    it("hands its polls over: aborts those that run and takes no more, and still delivers", async () => {
      const begun = deferred();
      const [polled, delivered]: [string[], string[]] = [[], []];
      const poll = async (stream: string, signal: AbortSignal) => {
        polled.push(stream);
        begun.resolve();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      };
      const deliver = async ({ key }: RecordId) => void delivered.push(key);
      await queue.start({ deliver, poll }, { concurrency: 1 });
      const polls = new Map([["customers", { everyMs: 60_000 }]]);
      await queue.schedulePolls(polls);
      await begun.promise;
      expect(await queue.stopPolls()).toBe(true);
      await queue.wake([record("1")], live);
      await vi.waitFor(() => expect(delivered).toEqual(["1"]), patience);
      const heir = await another();
      const inherited = deferred();
      await heir.start({ ...nothing, poll: async () => inherited.resolve() }, { concurrency: 1 });
      await heir.schedulePolls(polls);
      await inherited.promise;
      expect(polled).toEqual(["customers"]);
    });

    it("hands out nothing more once it stops, and waits for running handlers", async () => {
      const events: string[] = [];
      const begun = deferred();
      const end = deferred();
      const deliver = async ({ key }: RecordId, signal: AbortSignal) => {
        events.push(`begun ${key}`);
        begun.resolve();
        await end.promise;
        if (!signal.aborted) events.push(`ended ${key}`);
      };
      await queue.wake([record("1"), record("2")], live);
      await queue.start({ ...nothing, deliver }, { concurrency: 1 });
      await begun.promise;
      const stopped = queue.stop(600_000).then(() => events.push("stopped"));
      await pause(200);
      end.resolve();
      await stopped;
      expect(events).toEqual(["begun 1", "ended 1", "stopped"]);
    });

    it("aborts the signals of running handlers after the grace", async () => {
      const begun = deferred();
      const aborted = deferred();
      const deliver = async (_id: RecordId, signal: AbortSignal) => {
        signal.addEventListener("abort", () => aborted.resolve());
        begun.resolve();
        await aborted.promise;
      };
      await queue.start({ ...nothing, deliver }, { concurrency: 1 });
      await queue.wake([record("1")], live);
      await begun.promise;
      await queue.stop(50);
      await expect(aborted.promise).resolves.toBeUndefined();
    });

    it("hands out deliveries where that is on, however often it changed", async () => {
      const other = await another();
      const taken: Record<"queue" | "other", string[]> = { queue: [], other: [] };
      await queue.setDelivering(false);
      await queue.start({ ...nothing, deliver: async ({ key }) => void taken.queue.push(key) }, { concurrency: 2 });
      await other.start({ ...nothing, deliver: async ({ key }) => void taken.other.push(key) }, { concurrency: 2 });
      await other.wake([record("1")], live);
      await vi.waitFor(() => expect(taken).toEqual({ queue: [], other: ["1"] }), patience);
      // At any moment of its turns, and at each end of one.
      for (let time = 0; time < 50; time++) {
        await queue.setDelivering(true);
        if (time % 5 === 0) await queue.wake([record(`${time}`)], live);
        await queue.setDelivering(false);
      }
      await other.stop(0);
      await queue.setDelivering(true);
      await queue.wake([record("2")], live);
      await vi.waitFor(() => expect(taken.queue).toContain("2"), patience);
    });

    it("runs as many deliveries at once as it was told last, and leaves the others to another process", async () => {
      const other = await another();
      const taken: Record<"queue" | "other", string[]> = { queue: [], other: [] };
      const ends = [deferred(), deferred()];
      const deliver = async ({ key }: RecordId) => {
        const end = ends[taken.queue.length === 0 ? 0 : 1];
        taken.queue.push(key);
        await end?.promise;
      };
      queue.setConcurrency(1);
      await queue.start({ ...nothing, deliver }, { concurrency: 4 });
      for (const key of ["1", "2", "3"]) await queue.wake([record(key)], live);
      await vi.waitFor(() => expect(taken.queue).toHaveLength(1), patience);
      await other.start({ ...nothing, deliver: async ({ key }) => void taken.other.push(key) }, { concurrency: 4 });
      await vi.waitFor(() => expect(taken.other).toHaveLength(2), patience);
      expect(taken.queue).toHaveLength(1);
      await other.stop(0);
      queue.setConcurrency(2);
      for (const key of ["4", "5"]) await queue.wake([record(key)], live);
      ends[0]?.resolve();
      await vi.waitFor(() => expect(taken.queue).toHaveLength(3), patience);
      ends[1]?.resolve();
    });

    it.each([
      { how: "while its deliveries are off", leave: () => queue.setDelivering(false) },
      { how: "when it stops", leave: () => queue.stop(60_000) },
    ])("leaves what it has not begun to another process, $how", async ({ leave }) => {
      const end = deferred();
      const begun: string[] = [];
      const deliver = async ({ key }: RecordId) => {
        begun.push(key);
        await end.promise;
      };
      await queue.start({ ...nothing, deliver }, { concurrency: 2 });
      const keys = ["1", "2", "3", "4", "5"];
      await queue.wake(
        keys.map((key) => record(key)),
        live,
      );
      await vi.waitFor(() => expect(begun).toHaveLength(2), patience);
      const left = leave();
      const taken: string[] = [];
      const other = await another();
      await other.start({ ...nothing, deliver: async ({ key }) => void taken.push(key) }, { concurrency: 2 });
      await vi.waitFor(() => expect(taken.toSorted()).toEqual(keys.filter((key) => !begun.includes(key))), patience);
      expect(begun).toHaveLength(2);
      await vi.waitFor(() => expect(queue.underWay()).toBe(2), patience);
      end.resolve();
      await left;
      await vi.waitFor(() => expect(queue.underWay()).toBe(0), patience);
    });

    it("answers a ping", async () => {
      await expect(queue.ping()).resolves.toBeUndefined();
    });

    it("counts the jobs that wait and run", async () => {
      const end = deferred();
      await queue.wake([record("1")], live);
      await queue.wake([record("2")], live);
      await queue.wake([record("3")], backfill);
      await queue.start({ ...nothing, deliver: () => end.promise }, { concurrency: 1 });
      await vi.waitFor(async () => expect(await queue.depth()).toEqual({ waiting: 2, active: 1 }), patience);
      end.resolve();
    });
  });
}
