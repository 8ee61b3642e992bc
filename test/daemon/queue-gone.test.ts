import { describe, expect, it } from "vitest";
import { RetryError } from "#model";
import { queueGone } from "../../src/daemon/watch/queue-gone.ts";

const dead = new RetryError("E_QUEUE_UNREACHABLE", "the queue at redis://h does not answer");
const patience = { everyMs: 1, patienceMs: 3 };

/** A queue that gives these answers to its pings, the last one for good. */
function queue(...works: readonly boolean[]) {
  let pings = 0;
  return {
    ping: () => ((works[Math.min(pings++, works.length - 1)] ?? true) ? Promise.resolve() : Promise.reject(dead)),
    count: () => pings,
  };
}

describe("a dead queue", () => {
  it("is found after it has not answered for so long", async () => {
    const gone = await queueGone(queue(false), patience, new AbortController().signal);
    expect(gone).toMatchObject({ code: "E_QUEUE_UNREACHABLE", message: "the queue at redis://h does not answer" });
  });

  it("is not one that answers in between", async () => {
    const slow = queue(false, false, true, false, false, true, false);
    await queueGone(slow, patience, new AbortController().signal);
    expect(slow.count()).toBe(9);
  });

  it("is no longer looked for after the end of the round", async () => {
    expect(await queueGone(queue(true), patience, AbortSignal.abort())).toBeUndefined();
    const stop = new AbortController();
    const watch = queueGone({ ping: async () => stop.abort() }, patience, stop.signal);
    expect(await watch).toBeUndefined();
  });
});
