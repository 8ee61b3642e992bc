import { expect, it } from "vitest";
import { HttpAnswer } from "#http";
import type { Actor } from "#model";
import { watchAct } from "#operator";
import { runHousekeeping } from "../../src/daemon/watch/housekeeping.ts";
import { RecordWatch } from "../../src/daemon/watch/record-watch.ts";
import { customer, Scene } from "../conformance/store-scene.ts";
import { carriedOut } from "../kit/acting.ts";
import { silentLogger } from "../kit/logger.ts";
import { memoryPlace } from "../store/memory-place.ts";

const anna: Actor = { name: "anna", via: "cli" };
const DAY_MS = 86_400_000;
const never = new AbortController().signal;

type Request = Parameters<RecordWatch["requested"]>[0];

function request(method: string, path: string, more: Partial<Request> = {}): Request {
  const url = `https://service.example/restApi/v1/${path}`;
  return {
    method,
    resource: "customer",
    status: undefined,
    url,
    body: undefined,
    answer: undefined,
    failure: undefined,
    durationMs: 2,
    ...more,
  };
}

function answered(status: number, text: string): Partial<Request> {
  return { status, answer: new HttpAnswer(status, {}, Buffer.from(text), 2, "PUT") };
}

const poll = () => Promise.resolve();

/** A watch of customers/1, and a delivery that makes these requests. */
async function watched(scene: Scene, ...requests: readonly Request[]) {
  const watch = new RecordWatch(scene.clock, silentLogger);
  await carriedOut(watchAct, scene, customer("1"), { minutes: 1 }, anna);
  await watch.open(scene.store);
  const handlers = watch.watching({ poll, deliver: async () => requests.forEach(watch.requested) });
  const deliver = (...of: Parameters<typeof handlers.deliver>) => handlers.deliver(...of);
  await deliver(customer("1"), never);
  await deliver(customer("2"), never);
  return { watch, deliver };
}

it("keeps a request with its bodies, without members that are secret by their name, and of lists the size alone", async () => {
  await using scene = await Scene.open(memoryPlace);
  await watched(
    scene,
    request("POST", "customerUser", {
      body: { name: "Eins", password: "hunter2" },
      ...answered(200, '{"id":7,"access_token":"abc","user":{"apiKey":"def"}}'),
    }),
    request("GET", "customer?fields=id&limit=50", answered(200, '[{"name":"Other"}]')),
    request("PUT", "customer/7", { body: { name: "x".repeat(20_000) }, ...answered(502, "<html>bad gateway") }),
    request("PUT", "customer/7", { failure: "the connection was cut" }),
  );
  const [cut, bad, list, created, ...others] = await scene.store.watches.exchanges(customer("1"));
  expect(others).toEqual([]);
  expect(await scene.store.watches.exchanges(customer("2"))).toEqual([]);
  expect(created).toMatchObject({
    method: "POST",
    path: "/restApi/v1/customerUser",
    sent: '{"name":"Eins","password":"[redacted]"}',
    answer: '{"id":7,"access_token":"[redacted]","user":{"apiKey":"[redacted]"}}',
  });
  expect(list).toMatchObject({ path: "/restApi/v1/customer?fields=id&limit=50", answer: "(a list of 18 bytes)" });
  expect(bad).toMatchObject({ status: 502, answer: "<html>bad gateway" });
  expect(bad?.sent).toHaveLength(16_385);
  expect(cut).toEqual({
    at: scene.clock.now(),
    method: "PUT",
    path: "/restApi/v1/customer/7",
    failure: "the connection was cut",
    durationMs: 2,
  });
});

it("keeps the latest fifty, and nothing once the watch is over", async () => {
  await using scene = await Scene.open(memoryPlace);
  const many = Array.from({ length: 60 }, (_, at) => request("GET", `customer/${at}`, answered(200, "{}")));
  const { deliver } = await watched(scene, ...many);
  const kept = await scene.store.watches.exchanges(customer("1"));
  expect(kept).toHaveLength(50);
  expect(kept[0]?.path).toBe("/restApi/v1/customer/59");
  scene.clock.advance(60_000);
  await deliver(customer("1"), never);
  expect(await scene.store.watches.exchanges(customer("1"))).toEqual(kept);
});

it("keeps exchanges for seven days", async () => {
  await using scene = await Scene.open(memoryPlace);
  await watched(scene, request("GET", "customer/1", answered(200, "{}")));
  const housekeep = async () => {
    const stop = new AbortController();
    const running = runHousekeeping(
      { store: scene.store, clock: scene.clock, logger: silentLogger, keepDays: 400 },
      stop.signal,
    );
    stop.abort();
    await running;
  };
  scene.clock.advance(7 * DAY_MS);
  await housekeep();
  expect(await scene.store.watches.exchanges(customer("1"))).toHaveLength(1);
  scene.clock.advance(1);
  await housekeep();
  expect(await scene.store.watches.exchanges(customer("1"))).toEqual([]);
});

it.each([Number.NaN, 0, DAY_MS + 1])("is refused for %s ms", async (forMs) => {
  await using scene = await Scene.open(memoryPlace);
  const refused = carriedOut(watchAct, scene, customer("1"), { minutes: forMs / 60_000 }, anna);
  await expect(refused).rejects.toMatchObject({ code: "E_WATCH_REFUSED" });
  expect(await scene.store.watches.watches(scene.clock.now())).toEqual([]);
});

it("is refused for a twenty-first record, and may replace its own", async () => {
  await using scene = await Scene.open(memoryPlace);
  for (let key = 1; key <= 20; key++)
    await carriedOut(watchAct, scene, customer(String(key)), { minutes: 1 / 60 }, anna);
  const another = () => carriedOut(watchAct, scene, customer("21"), { minutes: 1 / 60 }, anna);
  await expect(another()).rejects.toThrow("20 records are watched already");
  await carriedOut(watchAct, scene, customer("20"), { minutes: 2 / 60 }, anna);
  scene.clock.advance(1_000);
  await expect(another()).resolves.toMatchObject({ isKnown: false });
});
