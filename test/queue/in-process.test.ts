import { expect, it, vi } from "vitest";
import { systemClock } from "#model";
import { InProcessJobs, openQueue } from "#queue";
import { memoryLogger } from "../kit/logger.ts";
import { deferred } from "./deferred.ts";

const open = () =>
  openQueue({ kind: "in-process", jobs: new InProcessJobs() }, { clock: systemClock, logger: memoryLogger() });
const ids = (count: number) => Array.from({ length: count }, (_, key) => ({ stream: "customers", key: String(key) }));

it("an in-process queue lets other work run between deliveries that wait for nothing", async () => {
  await using queue = await open();
  let delivered = 0;
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  const done = deferred();
  const deliver = async () => {
    if (++delivered === 1_000) done.resolve();
    // As long as the whole lot would take at once, so that the timer is due again after each.
    const until = performance.now() + 2;
    while (performance.now() < until);
  };
  await queue.start({ deliver, poll: async () => undefined }, { concurrency: 1 });
  await queue.wake(ids(1_000), { backfill: false });
  await done.promise;
  clearInterval(others);
  expect(turns).toBeGreaterThan(100);
});

it("an in-process queue keeps a stream's polls apart when one outlives the stop, and loses none that was asked for", async () => {
  await using queue = await open();
  const end = deferred();
  let running = 0;
  let most = 0;
  let count = 0;
  const poll = async () => {
    count++;
    most = Math.max(most, ++running);
    if (count === 1) await end.promise;
    running--;
  };
  const handlers = { deliver: async () => undefined, poll };
  await queue.start(handlers, { concurrency: 1 });
  await queue.pollNow("customers");
  await vi.waitFor(() => expect(count).toBe(1), 120_000);
  await queue.stop(10);
  await queue.start(handlers, { concurrency: 1 });
  await queue.pollNow("customers");
  end.resolve();
  await vi.waitFor(() => expect(count).toBe(2), 120_000);
  expect(most).toBe(1);
});
