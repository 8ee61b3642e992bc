import { expect, it } from "vitest";
import { runHousekeeping } from "../../src/daemon/watch/housekeeping.ts";
import { aReturn } from "../conformance/store-returns.ts";
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
  await store.end(claim, { kind: "remove", unbind: true });
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

it("empties contents of returns that are needed no more after the days of AUDIT_KEEP_DAYS", async () => {
  await using scene = await Scene.open(memoryPlace);
  const { store, clock } = scene;
  await store.returns.prepare(aReturn("1"), { state: "seen" });
  const contentAfter = async (ms: number) => {
    clock.advance(ms);
    const stop = new AbortController();
    const running = runHousekeeping({ store, clock, logger: silentLogger, keepDays: 90 }, stop.signal);
    stop.abort();
    await running;
    return (await store.returns.one(aReturn("1")))?.content.fields;
  };
  expect(await contentAfter(90 * DAY_MS)).toEqual(aReturn("1").content.fields);
  expect(await contentAfter(1)).toEqual({});
});
