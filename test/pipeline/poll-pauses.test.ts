import { describe, expect, it } from "vitest";
import { ParkError, RetryError, StopError, WaitError, type StreamName } from "#model";
import { Poller, PollPauses, Sweeper } from "#pipeline";
import type { SourceStream } from "#sources";
import { openStore } from "#store";
import { SetClock } from "../kit/clock.ts";
import { memoryLogger, silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";

const MINUTE = 60_000;
const full = () => Promise.reject(new StopError("E_STORE_FULL", "the disk of the store is full"));
const names = ["customers", "contacts", "tickets"];

/** Streams of one ERP, which answers each poll with what `erp.answer` does; all by one clock. */
async function polling() {
  const place = await sqlitePlace();
  const clock = new SetClock(1_000_000);
  const store = await openStore(place.dataDir, { as: "daemon", clock, logger: silentLogger });
  const erp = { asked: [] as StreamName[], answer: (_stream: StreamName): Promise<void> => Promise.resolve() };
  const source = (stream: StreamName): SourceStream => ({
    capabilities: { deletions: "flag" },
    async *changes() {
      erp.asked.push(stream);
      await erp.answer(stream);
      yield { changes: [], cursor: 1 };
    },
    readOne: async () => undefined,
    async *keys() {},
    check: async () => [],
  });
  const log = memoryLogger();
  const common = { store, clock, logger: log };
  const disk = { isFull: false };
  const storedWhenObserved: Promise<boolean>[] = [];
  const isStored = async (stream: StreamName) => (await store.stream(stream)).error !== undefined;
  const poller = new Poller({
    ...common,
    store: new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return name === "pollFailed" && disk.isFull ? full : member.bind(target);
      },
    }),
    sources: new Map(names.map((name) => [name, source(name)])),
    sweeper: new Sweeper({ ...common, streams: new Map(), sources: new Map(), intervalMs: MINUTE }),
    pauses: new PollPauses({ sourceOf: () => "erp", elapsed: () => clock.now() }),
    rounds: { begin: () => {}, decide: async () => {}, end: () => {} },
    observer: {
      staged: () => {},
      polled: () => {},
      pollFailed: (stream) => void storedWhenObserved.push(isStored(stream)),
      delivered: () => {},
    },
    nudge: () => {},
  });
  return {
    erp,
    clock,
    disk,
    log,
    storedWhenObserved,
    poll: (...streams: StreamName[]) => Promise.all(streams.map((stream) => poller.poll(stream, never))),
    poller,
    /** The code that a stream is failing with. */
    failing: async (stream: StreamName) => (await store.stream(stream)).error?.code,
    async [Symbol.asyncDispose]() {
      await Promise.all(storedWhenObserved);
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

const refuse = () => Promise.reject(new ParkError("E_SOURCE_LOGIN", "401"));
const lockOut = () => Promise.reject(new WaitError("E_SOURCE_BUSY", "429", { afterMs: 1_000 }));
const unreachable = () => Promise.reject(new RetryError("E_SOURCE_UNREACHABLE", "nobody answers"));

describe("an ERP that refuses the login", () => {
  it("is asked once for all streams, and again after minutes that grow to an hour", async () => {
    await using scene = await polling();
    const { erp, clock, poll } = scene;
    erp.answer = refuse;
    await poll(...names);
    expect(erp.asked).toHaveLength(1);
    const tries: number[] = [];
    for (let minute = 1; minute <= 600; minute++) {
      clock.at += MINUTE;
      await poll(...names);
      if (erp.asked.length > tries.length + 1) tries.push(minute);
    }
    expect(tries[0]).toBeGreaterThanOrEqual(2);
    expect(tries[0]).toBeLessThanOrEqual(4);
    expect(tries.length).toBeLessThanOrEqual(24);
    const gaps = tries.map((at, index) => at - (tries[index - 1] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(61);
    expect(gaps.at(-1)).toBeGreaterThanOrEqual(30);
  });

  it("is stored at each stream before an observer hears of it", async () => {
    await using scene = await polling();
    scene.erp.answer = refuse;
    await scene.poll(...names);
    expect(await Promise.all(scene.storedWhenObserved)).toEqual([true, true, true]);
  });

  it("is shown as that in all its streams, also when it then locks the user out", async () => {
    await using scene = await polling();
    const { erp, clock, poll, failing } = scene;
    erp.answer = refuse;
    await poll(...names);
    erp.answer = lockOut;
    clock.at += 5 * MINUTE;
    await poll(...names);
    expect(erp.asked).toHaveLength(2);
    expect(await Promise.all(names.map(failing))).toEqual(["E_SOURCE_LOGIN", "E_SOURCE_LOGIN", "E_SOURCE_LOGIN"]);
    clock.at += 2 * MINUTE;
    await poll(...names);
    expect(erp.asked).toHaveLength(2);
  });

  it("is polled by all streams as soon as one was let in", async () => {
    await using scene = await polling();
    const { erp, clock, poll, failing } = scene;
    erp.answer = refuse;
    await poll(...names);
    erp.answer = () => Promise.resolve();
    clock.at += 5 * MINUTE;
    await poll(...names);
    expect(erp.asked.slice(1).toSorted()).toEqual(names.toSorted());
    expect(await Promise.all(names.map(failing))).toEqual([undefined, undefined, undefined]);
  });
});

describe("an ERP that asks for patience", () => {
  it("is left alone by all streams for as long as it said", async () => {
    await using scene = await polling();
    const { erp, clock, poll } = scene;
    await poll(...names);
    erp.answer = () => Promise.reject(new WaitError("E_SOURCE_BUSY", "503", { afterMs: 10 * MINUTE }));
    await poll("customers");
    for (clock.at += MINUTE; clock.at < 1_000_000 + 10 * MINUTE; clock.at += MINUTE) await poll(...names);
    expect(erp.asked).toHaveLength(4);
    clock.at += MINUTE;
    await poll("tickets");
    expect(erp.asked).toHaveLength(5);
  });
});

describe("an ERP that asks for patience while another stream is being read", () => {
  it("is left alone all the same once that poll has ended", async () => {
    await using scene = await polling();
    const { erp, clock, poll } = scene;
    await poll(...names);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const busy = new WaitError("E_SOURCE_BUSY", "429", { afterMs: 10 * MINUTE });
    erp.answer = (stream) => (stream === "customers" ? answered : Promise.reject(busy));
    const underWay = poll("customers");
    await poll("contacts");
    answer();
    await underWay;
    erp.answer = () => Promise.resolve();
    clock.at += 9 * MINUTE;
    await poll(...names);
    expect(erp.asked).toHaveLength(5);
    clock.at += 2 * MINUTE;
    await poll(...names);
    expect(erp.asked).toHaveLength(8);
  });
});

describe("an ERP that does not answer", () => {
  it("is asked again at the next interval, then after pauses that grow to a minute", async () => {
    await using scene = await polling();
    const { erp, clock, poll } = scene;
    erp.answer = unreachable;
    await poll(...names);
    await poll(...names);
    expect(erp.asked).toHaveLength(2);
    for (let second = 0; second < 600; second++) {
      clock.at += 1_000;
      await poll(...names);
    }
    const before = erp.asked.length;
    expect(before).toBeLessThan(40);
    erp.answer = () => Promise.resolve();
    clock.at += MINUTE;
    await poll(...names);
    expect(erp.asked.length).toBe(before + 3);
  });

  it("keeps no stream waiting for one whose poll was cut off", async () => {
    await using scene = await polling();
    const { erp, poll, poller } = scene;
    const stop = new AbortController();
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    erp.answer = (stream) => {
      if (stream !== "customers") return Promise.resolve();
      asked();
      return new Promise((_, reject) => stop.signal.addEventListener("abort", () => reject(new Error("cut off"))));
    };
    const cut = poller.poll("customers", stop.signal);
    await isAsked;
    const others = poll("contacts");
    expect(erp.asked).toEqual(["customers"]);
    stop.abort();
    await Promise.all([cut, others]);
    expect(erp.asked).toEqual(["customers", "contacts"]);
  });
});

describe("one stream that fails", () => {
  it("is polled at its interval while a person has to repair it, and keeps no other from being polled", async () => {
    await using scene = await polling();
    const { erp, poll } = scene;
    erp.answer = (stream) =>
      stream === "tickets" ? Promise.reject(new ParkError("E_SOURCE_NOT_FOUND", "404")) : Promise.resolve();
    for (let at = 0; at < 3; at++) await poll(...names);
    expect(erp.asked).toHaveLength(9);
  });

  it("is polled less and less where it may heal, as the others are not", async () => {
    await using scene = await polling();
    const { erp, poll } = scene;
    erp.answer = (stream) =>
      stream === "tickets" ? Promise.reject(new RetryError("E_SOURCE_TIMEOUT", "too slow")) : Promise.resolve();
    for (let at = 0; at < 5; at++) await poll(...names);
    expect(erp.asked.filter((stream) => stream === "tickets")).toHaveLength(2);
    expect(erp.asked).toHaveLength(12);
  });
});

describe("a failure that the store does not keep", () => {
  it("is an error once for all streams and polls of an outage, and again in the next outage", async () => {
    await using scene = await polling();
    const { erp, clock, disk, log, poll } = scene;
    const levels = () =>
      log.lines.splice(0).flatMap(({ level, message }) => (message === "poll failure was not stored" ? [level] : []));
    const pollAll = async () => {
      clock.at += 60 * MINUTE;
      for (const name of names) await poll(name);
    };
    disk.isFull = true;
    erp.answer = full;
    await pollAll();
    await pollAll();
    expect(levels()).toEqual(["error", "debug", "debug", "debug", "debug", "debug"]);
    erp.answer = () => Promise.resolve();
    await pollAll();
    erp.answer = full;
    await pollAll();
    expect(levels()).toEqual(["error", "debug", "debug"]);
    disk.isFull = false;
    await pollAll();
    disk.isFull = true;
    await pollAll();
    expect(levels()).toEqual(["error", "debug", "debug"]);
  });
});
