import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { startRedis } from "../setup/redis.ts";
import { startSentinels } from "../setup/redis-sentinel.ts";
import { byText, setStage, texts, until, type Running, type Stage } from "./stage.ts";

const rows = { customers: 60, contacts: 100, tickets: 60, orders: 40 };

/** Every row has its one record; deleted ones and their children may be missing. */
async function expectLoaded(stage: Stage, { store }: Running): Promise<void> {
  await until("everything has come to rest", async () => {
    const counts = [...(await store.counts()).values()];
    const total = counts.flatMap((states) => Object.values(states)).reduce((sum, count) => sum + count, 0);
    return total === 260 && counts.every(({ due = 0, claimed = 0 }) => due + claimed === 0);
  });
  const { sandbox, erp } = stage;
  const wanted = erp.all("customers").filter(({ deleted }) => deleted === 0);
  const keys = wanted.map((row) => row.customer_no).toSorted(byText);
  expect(texts(sandbox, "customer", "customerId")).toEqual(keys);
  for (const resource of ["customer", "customerContact", "ticket", "svcDocument"])
    expect(sandbox.ledger.count({ method: "POST", resource })).toBe(sandbox.records(resource).length);
  const waiting = await store.records({ states: ["waiting"], limit: 1_000 });
  for (const { waitsFor } of waiting) expect(waitsFor).not.toEqual([]);
  expect(await store.records({ states: ["parked", "uncertain"], limit: 1 })).toEqual([]);
}

describe("a queue that is emptied in the middle of the first load", () => {
  it("loses nothing: FLUSHALL, again and again", async () => {
    await using redis = await startRedis();
    await using stage = await setStage({ rows, environment: { QUEUE_URL: redis.url } });
    stage.sandbox.faults.add({ kind: "latency", ms: 20, method: "POST" });
    await using running = await stage.start();
    const client = new Redis(redis.url);
    try {
      for (const records of [10, 60, 120]) {
        await until(`${records} records are there`, () => stage.sandbox.ledger.count({ method: "POST" }) >= records);
        expect(await client.flushall()).toBe("OK");
      }
    } finally {
      client.disconnect();
    }
    await expectLoaded(stage, running);
  });
});

describe("a queue that goes away in the middle of the first load", () => {
  it("loses nothing: the daemon waits, says so, and goes on when it is back", async () => {
    await using redis = await startRedis();
    await using stage = await setStage({ rows, environment: { QUEUE_URL: redis.url } });
    stage.sandbox.faults.add({ kind: "latency", ms: 20, method: "POST" });
    await using running = await stage.start();
    await until("the load is under way", () => stage.sandbox.ledger.count({ method: "POST" }) >= 40);
    await redis.stop();
    await until("the page says so", async () => {
      const ready = await fetch(`${running.daemon.url}/readyz`);
      return ready.status === 503 && (await ready.text()).includes("queue");
    });
    await redis.start();
    await until("it is ready again", async () => (await fetch(`${running.daemon.url}/readyz`)).status === 200);
    await expectLoaded(stage, running);
    const later = stage.sandbox.ledger.next({ method: "POST", resource: "customer" });
    stage.erp.insertCustomer({ customer_no: "99001", name1: "Nachher GmbH" });
    const arrived = await later;
    expect(arrived.status).toBe(200);
  });
});

describe("a queue whose primary is killed", () => {
  it("costs nothing but time: the replica that Sentinel promotes lacks jobs, and the store has them", async () => {
    await using sentinels = await startSentinels();
    await using stage = await setStage({ rows, environment: { QUEUE_URL: sentinels.url } });
    stage.sandbox.faults.add({ kind: "latency", ms: 20, method: "POST" });
    await using running = await stage.start();
    const posts = () => stage.sandbox.ledger.count({ method: "POST" });
    await until("the load is under way", () => posts() >= 20);
    const primary = await sentinels.primary();
    const replica = sentinels.serverPids.find((pid) => pid !== primary)!;
    process.kill(replica, "SIGSTOP");
    await until("the replica lacks jobs", () => posts() >= 60);
    process.kill(primary, "SIGKILL");
    process.kill(replica, "SIGCONT");
    await sentinels.replaced(primary);
    await expectLoaded(stage, running);
    const later = stage.sandbox.ledger.next({ method: "POST", resource: "customer" });
    stage.erp.insertCustomer({ customer_no: "99001", name1: "Nachher GmbH" });
    expect((await later).status).toBe(200);
    expect(running.log.lines("queue moved to another server")).not.toEqual([]);
    await until("it is ready", async () => (await fetch(`${running.daemon.url}/readyz`)).status === 200);
  });
});

describe("a queue whose memory is full", () => {
  it("makes the daemon unready, with the reason, and costs nothing but time", async () => {
    await using redis = await startRedis();
    await using stage = await setStage({ rows, environment: { QUEUE_URL: redis.url } });
    await using running = await stage.start();
    await expectLoaded(stage, running);
    const client = new Redis(redis.url);
    await client.config("SET", "maxmemory", "1");
    stage.erp.insertCustomer({ customer_no: "99001", name1: "Nachher GmbH" });
    await until("it is not ready", async () => {
      const ready = await fetch(`${running.daemon.url}/readyz`);
      return ready.status === 503 && (await ready.text()).includes("E_QUEUE_REFUSED");
    });
    const later = stage.sandbox.ledger.next({ method: "POST", resource: "customer" });
    await client.config("SET", "maxmemory", "0");
    client.disconnect();
    expect((await later).status).toBe(200);
    await until("it is ready again", async () => (await fetch(`${running.daemon.url}/readyz`)).status === 200);
    expect(running.log.lines("queue refused a write")).toHaveLength(1);
  });
});
