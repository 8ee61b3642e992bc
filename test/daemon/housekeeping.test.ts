import { expect, it } from "vitest";
import { runHousekeeping } from "../../src/daemon/watch/housekeeping.ts";
import { customer, deletion, Scene } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { memoryPlace } from "../store/memory-place.ts";

const DAY_MS = 86_400_000;

it("forgets deletions two days after they were told of", async () => {
  await using scene = await Scene.open(memoryPlace);
  const { store, clock } = scene;
  await scene.bound(customer("1"), 1);
  await scene.stage([deletion("1")]);
  const claim = await scene.claim(customer("1"));
  await store.announceDeletion(claim, { since: 0, confirmedAt: 0, limit: 1 });
  await store.remove(claim, { unbind: true });
  const told = async () => (await store.tableCounts())["deletions"];
  const housekeep = async () => {
    const stop = new AbortController();
    const running = runHousekeeping({ store, clock, logger: silentLogger, keepDays: 400 }, stop.signal);
    stop.abort();
    await running;
  };
  clock.advance(2 * DAY_MS);
  await housekeep();
  expect(await told()).toBe(1);
  clock.advance(1);
  await housekeep();
  expect(await told()).toBe(0);
});
