import { afterEach, describe, expect, it, vi } from "vitest";
import { RetryError, type RecordId } from "#model";
import { Relay } from "#pipeline";
import { openStore } from "#store";
import { sqlitePlace } from "../store/sqlite-place.ts";
import { customer, OOPS, upsert } from "../conformance/store-scene.ts";
import { memoryLogger, silentLogger } from "../kit/logger.ts";

const SECOND_MS = 1_000;
const clock = { now: () => Date.now() };

/** More than a window. */
const more = Array.from({ length: 25 }, (_, at) => `${at}`);

afterEach(() => vi.useRealTimers());

/** A relay over a real store with these customers due; the queue writes down what it is asked for. */
function relaying(...keys: string[]) {
  return relayingWhile("closed", keys);
}

/** The same while the breaker before the service is in this state. */
async function relayingWhile(
  state: "closed" | "half-open",
  keys: readonly string[],
  hold = { ms: 0 },
  shared?: { readonly perSecond: number },
) {
  const place = await sqlitePlace();
  const store = await openStore(place.dataDir, { as: "daemon", clock, logger: silentLogger });
  const changes = keys.map((key) => upsert(key));
  await store.stage("customers", { changes, cursor: null, backfill: false, complete: true });
  const woken: string[] = [];
  let turns = 0;
  const wake = async (ids: readonly RecordId[]) => void woken.push(...ids.map(({ key }) => key));
  // Only what the relay measures its patience by stands still; store and promises go on.
  vi.useFakeTimers({ toFake: ["performance"] });
  const relay = new Relay({
    store,
    queue: { wake },
    service: {
      state: () => {
        turns += 1;
        return {
          state,
          probeAt: undefined,
          holdMs: hold.ms,
          perSecond: shared?.perSecond,
          concurrency: 1,
          requests: 0,
        };
      },
    },
    clock,
    logger: silentLogger,
    streams: () => ["customers"],
    window: 10,
    isShared: () => shared !== undefined,
  });
  /** A turn is over when the next one asks how the service is. */
  const turn = async () => {
    const end = turns + 2;
    const isOver = () => turns >= end;
    while (!isOver()) {
      relay.nudge();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const end = new AbortController();
  const running = relay.run(end.signal);
  return {
    relay,
    store,
    dataDir: place.dataDir,
    woken,
    /** One more look into the store, after so much time. */
    async after(ms: number) {
      vi.advanceTimersByTime(ms);
      await turn();
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

describe("the relay", () => {
  it.each([
    ["the queue, which says so itself", new RetryError("E_QUEUE_UNREACHABLE", "nobody answers"), 0],
    ["anything else", new Error("broken"), 1],
  ])("warns once at most of an outage of %s", async (_what, thrown, warnings) => {
    await using running = await relaying("1");
    const logger = memoryLogger();
    const turns = vi.fn<() => void>();
    const relay = new Relay({
      store: running.store,
      queue: { wake: () => Promise.reject(thrown) },
      service: {
        state: () => {
          turns();
          return { state: "closed", probeAt: undefined, holdMs: 0, perSecond: undefined, concurrency: 1, requests: 0 };
        },
      },
      clock,
      logger,
      streams: () => ["customers"],
      window: 10,
      isShared: () => false,
    });
    const end = new AbortController();
    const run = relay.run(end.signal);
    while (turns.mock.calls.length < 4) {
      relay.nudge();
      await new Promise((resolve) => setImmediate(resolve));
    }
    end.abort();
    await run;
    expect(logger.lines.filter(({ level }) => level === "warn")).toHaveLength(warnings);
    expect(logger.lines.filter(({ message }) => message.startsWith("relay waited"))).toHaveLength(1);
  });

  it("gives one wake-up per record at a time", async () => {
    await using running = await relaying("1", "2");
    await running.after(0);
    await running.after(SECOND_MS);
    expect(running.woken).toEqual(["1", "2"]);
    running.relay.answered(customer("1"));
    await running.after(SECOND_MS);
    expect(running.woken).toEqual(["1", "2", "1"]);
  });

  it("wakes nothing while the service asks svcsync to wait", async () => {
    const hold = { ms: 5 };
    await using running = await relayingWhile("closed", ["1"], hold);
    await running.after(SECOND_MS);
    expect(running.woken).toEqual([]);
    hold.ms = 0;
    await running.after(0);
    expect(running.woken).toEqual(["1"]);
  });

  it("has no more out than the service takes in two seconds where others deliver, too: what one holds, no other one delivers", async () => {
    await using running = await relayingWhile("closed", more, undefined, { perSecond: 1.5 });
    await running.after(0);
    await running.after(SECOND_MS);
    expect(running.woken).toHaveLength(3);
    await running.store.claim(customer(running.woken[0]!));
    await running.after(0);
    expect(running.woken).toHaveLength(4);
  });

  it("asks again what is due only after a write to the store, by any process, or when a time has come", async () => {
    await using running = await relaying("1");
    await running.after(0);
    const claim = await running.store.claim(customer("1"));
    await running.store.end(claim!, { kind: "park", error: OOPS });
    running.relay.answered(customer("1"));
    await running.after(0);
    const due = vi.spyOn(running.store, "due");
    await running.after(SECOND_MS);
    expect(due).not.toHaveBeenCalled();
    await using operator = await openStore(running.dataDir, { as: "operator", clock, logger: silentLogger });
    await operator.retryNow({ states: ["parked"] });
    await running.after(0);
    expect(running.woken).toEqual(["1", "1"]);
    const again = await running.store.claim(customer("1"));
    running.relay.answered(customer("1"));
    await running.store.end(again!, { kind: "retry", error: OOPS, dueAt: clock.now() + 50 });
    while (running.woken.length === 2) await running.after(0);
    expect(running.woken).toEqual(["1", "1", "1"]);
  });

  it("wakes no record that is being delivered", async () => {
    await using running = await relaying("1");
    await running.after(0);
    await running.store.claim(customer("1"));
    running.relay.answered(customer("1"));
    await running.after(SECOND_MS);
    expect(running.woken).toEqual(["1"]);
  });

  it("gives a wake-up again that was not delivered, after ever longer waits", async () => {
    await using running = await relaying("1");
    await running.after(0);
    await running.after(29 * SECOND_MS);
    expect(running.woken).toEqual(["1"]);
    await running.after(2 * SECOND_MS);
    expect(running.woken).toEqual(["1", "1"]);
    await running.after(58 * SECOND_MS);
    expect(running.woken).toEqual(["1", "1"]);
    await running.after(3 * SECOND_MS);
    expect(running.woken).toEqual(["1", "1", "1"]);
  });

  it("gives every wake-up again when the queue has lost them", async () => {
    await using running = await relaying("1", "2");
    await running.after(0);
    running.relay.forget();
    await running.after(0);
    expect(running.woken).toEqual(["1", "2", "1", "2"]);
  });

  it("gives a whole window again that the queue has lost without a word", async () => {
    await using running = await relaying(...more);
    await running.after(0);
    expect(running.woken).toHaveLength(10);
    await running.after(31 * SECOND_MS);
    expect(running.woken).toHaveLength(20);
  });

  it("gives no second window to a queue that merely is slow", async () => {
    await using running = await relaying(...more);
    await running.after(0);
    for (let answers = 0; answers < 3; answers++) {
      vi.advanceTimersByTime(20 * SECOND_MS);
      await running.store.claim(customer(`${answers}`));
      running.relay.answered(customer(`${answers}`));
      await running.after(0);
    }
    expect(new Set(running.woken).size).toBeLessThanOrEqual(13);
  });

  it("probes again a service that is down when the queue has lost the probe", async () => {
    await using running = await relayingWhile("half-open", ["1", "2"]);
    await running.after(0);
    expect(running.woken).toEqual(["1"]);
    await running.after(31 * SECOND_MS);
    expect(running.woken).toHaveLength(2);
  });
});
