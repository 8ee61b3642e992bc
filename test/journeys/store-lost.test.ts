import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "#model";
import { openQueue } from "#queue";
import type { Store } from "#store";
import { startPostgres } from "../setup/postgres.ts";
import { memoryLogger } from "../kit/logger.ts";
import { startRedis } from "../setup/redis.ts";
import { only, setStage, until, untilHeld, untilState, writeRequests, type Stage } from "./stage.ts";
import { unmatchedCustomers } from "../setup/customers-stream.ts";

async function inStep(): Promise<Stage> {
  const stage = await setStage();
  const { erp } = stage;
  for (let at = 1; at <= 20; at++) {
    const customer_no = String(10_000 + at);
    erp.insertCustomer({ customer_no, remarks: at % 2 === 0 ? "von Anfang an" : null });
    erp.insertContact({ customer_no, contact_no: 1, email: `k${at}@example.com`, last_name: "Müller" });
    erp.insertContact({ customer_no, contact_no: 2, email: null, last_name: `Öttl ${at}` });
    erp.insertTicket({ ticket_no: `T-${at}`, customer_no, contact_no: 1, tags: "VIP,Wartung", due_date: "2026-07-31" });
    erp.insertOrder({ order_no: `A-${at}`, customer_no, ticket_no: `T-${at}`, reference: "R" });
  }
  expect((await stage.command("sync")).code).toBe(0);
  return stage;
}

async function bindings(store: Store): Promise<Map<string, number | undefined>> {
  const views = await store.records({ limit: 1_000 });
  return new Map(views.map(({ id, binding }) => [`${id.stream}/${id.key}`, binding?.serviceId]));
}

async function bindingsOf(stage: Stage): Promise<Map<string, number | undefined>> {
  await using store = await stage.store();
  return bindings(store);
}

describe("a store that is lost", () => {
  it("is rebuilt from match keys: the same bindings, without a single write", async () => {
    await using stage = await inStep();
    const known = await bindingsOf(stage);
    expect([...known.values()].filter((id) => id !== undefined)).toHaveLength(100);
    await rm(stage.dataDir, { recursive: true });
    const before = writeRequests(stage.sandbox);
    const planned = await stage.command("rebuild");
    expect(planned.stdout).toContain("Nothing was written.");
    const rebuilt = await stage.command("rebuild", "--confirm", "--as", "anna", "--why", "disk died");
    expect(rebuilt.code).toBe(0);
    const acts = await stage.command("history", "--acts", "--stream", "customers", "--json");
    expect(JSON.parse(acts.stdout)).toMatchObject({
      stream: "customers",
      action: "release",
      by: { name: "anna", via: "cli", why: "disk died" },
    });
    expect(await bindingsOf(stage)).toEqual(known);
    expect(writeRequests(stage.sandbox) - before).toBe(0);
    expect((await stage.command("sync")).stdout).toContain("Nothing to write");
  });

  it("is not rebuilt over a store that knows its bindings", async () => {
    await using stage = await inStep();
    const refused = await stage.command("rebuild", "--confirm");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("rebuild is for a new store");
  });
});

describe("a backup of a live store", () => {
  it("opens as a store of its own and holds every binding", async () => {
    await using stage = await inStep();
    const copy = join(stage.folder, "backup.db");
    {
      await using running = await stage.start();
      stage.erp.renameCustomer("10001", "Während der Sicherung GmbH");
      await until("it was delivered", async () => {
        const view = await running.store.record({ stream: "customers", key: "10001" });
        return view!.applied!["name"] === "Während der Sicherung GmbH" && view!.state === "applied";
      });
      expect((await stage.command("backup", copy)).code).toBe(0);
    }
    const known = await bindingsOf(stage);
    await rm(stage.dataDir, { recursive: true });
    await mkdir(stage.dataDir);
    await copyFile(copy, join(stage.dataDir, "svcsync.db"));
    expect(await bindingsOf(stage)).toEqual(known);
    const before = writeRequests(stage.sandbox);
    expect((await stage.command("sync")).code).toBe(0);
    expect(writeRequests(stage.sandbox) - before).toBe(0);
  });
});

/** A customer was created after the backup that is then put in the store's place. */
async function restored(syncFile?: string): Promise<Stage> {
  const stage = await setStage(syncFile === undefined ? {} : { syncFile });
  const copy = join(stage.folder, "backup.db");
  stage.erp.insertCustomer({ customer_no: "10001" });
  expect((await stage.command("sync")).code).toBe(0);
  expect((await stage.command("backup", copy)).code).toBe(0);
  stage.erp.insertCustomer({ customer_no: "10002" });
  expect((await stage.command("sync")).code).toBe(0);
  await rm(stage.dataDir, { recursive: true });
  await mkdir(stage.dataDir);
  await copyFile(copy, join(stage.dataDir, "svcsync.db"));
  return stage;
}

describe("a backup that is older than the service", () => {
  it.each([
    { rules: "match rules", syncFile: undefined },
    { rules: "no match rule", syncFile: unmatchedCustomers },
  ])("creates nothing twice: its streams wait for a person who saw what it does not know ($rules)", async (given) => {
    await using stage = await restored(given.syncFile);
    const synced = await stage.command("sync");
    expect(synced.stderr).toContain("E_ADOPTION_NEEDED");
    expect(synced.code).toBe(1);
    expect(stage.sandbox.records("customer")).toHaveLength(2);
  });

  it("adopts what was created after it once the person says so", async () => {
    await using stage = await restored();
    await stage.command("sync");
    expect((await stage.command("adopt", "--confirm")).code).toBe(0);
    expect((await stage.command("sync")).code).toBe(0);
    const { id } = only(stage.sandbox, "customer", "customerId", "10002");
    expect((await stage.view({ stream: "customers", key: "10002" }))!.binding!.serviceId).toBe(id);
  });
});

describe("what the ERP deleted while the store was lost", () => {
  it("is bound by its match keys and then set or removed, and its children find it", async () => {
    await using stage = await inStep();
    const { erp, sandbox } = stage;
    await rm(stage.dataDir, { recursive: true });
    erp.change("customers", ["10001"], { deleted: 1 });
    erp.change("contacts", ["10002", 2], { deleted: 1 });
    erp.change("tickets", ["T-3"], { deleted: 1 });
    const planned = await stage.command("rebuild");
    expect(planned.stdout).toMatch(/customers +0 +19 +1 +0 /);
    expect(planned.stdout).toContain("deleted: customers/10001 (");
    expect((await stage.command("rebuild", "--confirm")).code).toBe(0);
    const inactive = only(sandbox, "customerStatus", "name", "Inactive").id;
    expect(only(sandbox, "customer", "customerId", "10001")["customerStatus"]).toBe(inactive);
    const closed = only(sandbox, "ticketStatus", "name", "Closed").id;
    expect(only(sandbox, "ticket", "erpReferenceNumber", "T-3")["ticketStatus"]).toBe(closed);
    const customer = only(sandbox, "customer", "customerId", "10001").id;
    expect((await stage.view({ stream: "customers", key: "10001" }))!.binding!.serviceId).toBe(customer);
    expect((await stage.view({ stream: "tickets", key: "T-1" }))!.state).toBe("applied");
    expect(sandbox.records("customer")).toHaveLength(20);
    expect(sandbox.records("ticket")).toHaveLength(20);
    expect((await stage.command("status")).stdout).not.toContain("do not come by themselves");
  });
});

describe("a restored store and lists that lag", () => {
  it("create nothing twice: deliveries wait until the lists show what was written before", async () => {
    await using stage = await restored();
    await stage.set({ SETTLE_LAG_SECONDS: "8" });
    const lag = stage.sandbox.faults.add({ kind: "staleList", lagMs: 3_600_000 });
    await using running = await stage.start();
    await until("the wait has begun", () => running.log.text.includes("store was restored, deliveries wait"));
    expect(running.daemon.holds.open()).toEqual([]);
    stage.sandbox.faults.clear(lag);
    await until("every stream was looked at", () => running.daemon.holds.isSettled);
    await untilHeld(running.store, "customers");
    expect(stage.sandbox.records("customer")).toHaveLength(2);
  });
});

/** A customer was created after the store's files were copied, and the copy is then put in their place. */
async function putBack(queueUrl: string, syncFile?: string): Promise<Stage> {
  const stage = await setStage({
    ...(syncFile === undefined ? {} : { syncFile }),
    environment: { QUEUE_URL: queueUrl },
  });
  const files = ["svcsync.db", "svcsync.db-wal"];
  {
    await using running = await stage.start();
    stage.erp.insertCustomer({ customer_no: "10001" });
    await untilState(running.store, "applied", { stream: "customers", key: "10001" });
    for (const file of files) await copyFile(join(stage.dataDir, file), join(stage.folder, file));
    stage.erp.insertCustomer({ customer_no: "10002" });
    await untilState(running.store, "applied", { stream: "customers", key: "10002" });
  }
  await rm(stage.dataDir, { recursive: true });
  await mkdir(stage.dataDir);
  for (const file of files) await copyFile(join(stage.folder, file), join(stage.dataDir, file));
  return stage;
}

const servers = { Redis: startRedis, PostgreSQL: startPostgres };

describe.each(["Redis", "PostgreSQL"] as const)(
  "files of a running store that were put back, with a queue on %s",
  (name) => {
    it.each([
      { rules: "match rules", syncFile: undefined },
      { rules: "no match rule", syncFile: unmatchedCustomers },
    ])("are noticed: nothing is created twice, and a person is asked ($rules)", async ({ syncFile }) => {
      await using server = await servers[name]();
      await using stage = await putBack(server.url, syncFile);
      await using running = await stage.start();
      await untilHeld(running.store, "customers");
      expect(running.log.text.split("store is older than the service")).toHaveLength(2);
      expect(running.log.text).toContain("the store knows 1 of 2 creates");
      await untilState(running.store, "due", { stream: "customers", key: "10002" });
      expect(stage.sandbox.records("customer")).toHaveLength(2);
    });
  },
);

describe("files of a store that were put back", () => {
  it("are compared with the service: what the ERP took back since is written again", async () => {
    await using redis = await startRedis();
    await using stage = await setStage({ environment: { QUEUE_URL: redis.url } });
    const files = ["svcsync.db", "svcsync.db-wal"];
    const nameNow = () => only(stage.sandbox, "customer", "customerId", "10001")["name"];
    {
      await using running = await stage.start();
      stage.erp.insertCustomer({ customer_no: "10001" });
      stage.erp.renameCustomer("10001", "Alt GmbH");
      await until("it is written", () => stage.sandbox.records("customer").length === 1 && nameNow() === "Alt GmbH");
      await untilState(running.store, "applied", { stream: "customers", key: "10001" });
      for (const file of files) await copyFile(join(stage.dataDir, file), join(stage.folder, file));
      stage.erp.renameCustomer("10001", "Neu GmbH");
      await until("the new name is written", () => nameNow() === "Neu GmbH");
    }
    await rm(stage.dataDir, { recursive: true });
    await mkdir(stage.dataDir);
    for (const file of files) await copyFile(join(stage.folder, file), join(stage.dataDir, file));
    stage.erp.renameCustomer("10001", "Alt GmbH");
    await using running = await stage.start();
    await until("the old name is written again", () => nameNow() === "Alt GmbH");
    expect(running.log.text).toMatch(/the store knows \d+ of \d+ writes/);
    await untilState(running.store, "applied", { stream: "customers", key: "10001" });
    expect(stage.sandbox.records("customer")).toHaveLength(1);
  });

  it("are shown by status while deliveries wait for the service's lists", async () => {
    await using redis = await startRedis();
    await using stage = await putBack(redis.url);
    await stage.set({ SETTLE_LAG_SECONDS: "600" });
    await using running = await stage.start();
    await until("the wait has begun", () => running.log.text.includes("store was restored, deliveries wait"));
    const { stdout } = await stage.command("status");
    expect(stdout).toContain(
      "the store was restored to an earlier state and does not know the records created since then (E_STORE_RESTORED); wait 600 s",
    );
  });

  it("are let through by a queue that was flushed: it proves nothing, and match rules find what was created", async () => {
    await using redis = await startRedis();
    await using stage = await putBack(redis.url);
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    await using running = await stage.start();
    await untilState(running.store, "applied", { stream: "customers", key: "10002" });
    expect(running.log.text).not.toContain("E_STORE_RESTORED");
    expect(stage.sandbox.records("customer")).toHaveLength(2);
  });
});

describe("a wake-up that the queue kept for a stream that is held now", () => {
  it("delivers nothing", async () => {
    await using redis = await startRedis();
    await using stage = await putBack(redis.url, unmatchedCustomers);
    await using running = await stage.start();
    await untilHeld(running.store, "customers");
    const prefix = `svcsync_${await running.store.note({ name: "installation", schema: z.string() })}`;
    const id = { stream: "customers", key: "10002" };
    await until("its row is read", async () => (await running.store.record(id))?.state === "due");
    await using queue = await openQueue(
      { kind: "redis", url: redis.url, prefix },
      { clock: systemClock, logger: memoryLogger() },
    );
    await queue.wake([id], { backfill: false });
    await until("the wake-up came up", async () => {
      const { waiting, active } = await queue.depth();
      return waiting + active === 0;
    });
    expect((await running.store.record(id))?.state).toBe("due");
    expect(stage.sandbox.records("customer")).toHaveLength(2);
  });
});
