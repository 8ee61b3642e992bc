import { describe, expect, it } from "vitest";
import type { ErrorFacts } from "#model";
import { PollWatch } from "../../src/daemon/watch/poll-watch.ts";
import { deferred } from "../queue/deferred.ts";
import { memoryLogger } from "../kit/logger.ts";

const SECOND = 1_000;
const { signal } = new AbortController();

/** A watch over two streams that are polled every 20 seconds, and its clock. */
function watchOf(everyMs = 20 * SECOND) {
  let now = 0;
  const failed: { stream: string; error: ErrorFacts }[] = [];
  const logger = memoryLogger();
  const store = { pollFailed: async (stream: string, error: ErrorFacts) => void failed.push({ stream, error }) };
  const schedule = new Map(["customers", "tickets"].map((name) => [name, { everyMs }]));
  const queue = { trouble: (): string | undefined => undefined };
  const watch = new PollWatch({ store, queue, logger, elapsed: () => now });
  watch.watch(schedule);
  const after = async (ms: number) => {
    now += ms;
    await watch.look();
  };
  return { watch, failed, queue, logger, after, poll: watch.watching(async () => undefined) };
}

describe("the watch over polls", () => {
  it("finds a stream failing that was not polled for three intervals, and says so in one line for all of them", async () => {
    const { watch, failed, logger, after } = watchOf();
    await after(60 * SECOND);
    expect(() => watch.check()).not.toThrow();
    await after(1 * SECOND);
    await after(60 * SECOND);
    expect(failed.map(({ stream, error }) => [stream, error.code])).toEqual([
      ["customers", "E_POLL_OVERDUE"],
      ["tickets", "E_POLL_OVERDUE"],
    ]);
    expect(failed[0]!.error.message).toContain("customers was not polled for 61 s, although its interval is 20 s");
    expect(logger.lines).toMatchObject([
      { level: "error", message: "streams were not polled", fields: { streams: ["customers", "tickets"] } },
    ]);
    expect(() => watch.check()).toThrow(expect.objectContaining({ code: "E_POLL_OVERDUE" }));
  });

  it("says what the queue lacks", async () => {
    const { failed, queue, after } = watchOf();
    queue.trouble = () => "remaining connection slots are reserved";
    await after(61 * SECOND);
    expect(failed[0]!.error.message).toMatch(/the queue starts no polls: remaining connection slots are reserved$/);
  });

  it("is content as soon as the polls come up again, however they end", async () => {
    const { watch, logger, after, poll } = watchOf();
    await after(61 * SECOND);
    const failing = watch.watching(() => Promise.reject(new Error("the ERP is away")));
    await expect(failing("customers", signal)).rejects.toThrow("the ERP is away");
    await after(SECOND);
    expect(() => watch.check()).toThrow(/^tickets/);
    await poll("tickets", signal);
    await after(SECOND);
    expect(() => watch.check()).not.toThrow();
    expect(logger.count("all streams are polled again")).toBe(1);
  });

  it("lets a poll take as long as it takes", async () => {
    const { watch, failed, after, poll } = watchOf();
    const end = deferred();
    const long = watch.watching(() => end.promise);
    const loading = long("customers", signal);
    await poll("tickets", signal);
    await after(3_600 * SECOND);
    expect(failed.map(({ stream }) => stream)).toEqual(["tickets"]);
    end.resolve();
    await loading;
    await after(59 * SECOND);
    expect(failed).toHaveLength(1);
  });

  it("gives a stream with a short interval the time that the queue needs after a crash", async () => {
    const { failed, after } = watchOf(SECOND);
    await after(30 * SECOND);
    expect(failed).toEqual([]);
    await after(SECOND);
    expect(failed).toHaveLength(2);
  });
});
