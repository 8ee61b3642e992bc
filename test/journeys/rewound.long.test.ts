import { describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { startRedis } from "../setup/redis.ts";
import { setStage, texts, until, untilHeld, untilState, type Running, type Stage } from "./stage.ts";

const ids = ["10001", "10002"].map((key) => ({ stream: "customers", key }));
const [kept, lost] = ids;

/** The daemon creates a record that the standby has, and one that it lacks, and renames the first. */
async function work({ erp }: Stage, { store }: Running, server: TestPostgres): Promise<void> {
  erp.insertCustomer({ customer_no: "10001", name1: "Nordwind" });
  await untilState(store, "applied", kept!);
  await server.copy();
  erp.insertCustomer({ customer_no: "10002", name1: "Ostwind" });
  erp.renameCustomer("10001", "Südwind");
  await untilState(store, "applied", lost!);
  await until("the name is known", async () => (await store.record(kept!))?.applied?.["name"] === "Südwind");
}

describe("a failover of PostgreSQL that lost commits", () => {
  it.each([
    { when: "while the daemon works", failure: "E_STORE_REWOUND" },
    { when: "while it is stopped", failure: undefined },
  ])("doubles and loses nothing ($when)", async ({ failure }) => {
    await using server = await startPostgres();
    await using redis = await startRedis();
    const environment = { STORE_URL: server.url, QUEUE_URL: redis.url };
    await using stage = await setStage({ environment });
    const isRunning = failure !== undefined;
    let ended: string | undefined;
    {
      await using running = await stage.start();
      await work(stage, running, server);
      if (isRunning) {
        await server.failOver();
        ended = (await running.daemon.failure).code;
      }
    }
    expect(ended).toBe(failure);
    if (!isRunning) await server.failOver();
    await using next = await stage.start();
    await until("it waits for the service's lists", () =>
      next.log.text.includes("store was restored, deliveries wait"),
    );
    await untilHeld(next.store, "customers");
    expect(next.log.text.includes("E_STORE_RESTORED") || isRunning).toBe(true);
    expect(texts(stage.sandbox, "customer", "customerId")).toEqual(["10001", "10002"]);
    expect((await stage.command("adopt", "customers", "--confirm")).code).toBe(0);
    await untilState(next.store, "applied", ...ids);
    stage.erp.renameCustomer("10002", "Westwind");
    await until("a change arrives", () => texts(stage.sandbox, "customer", "name").includes("Westwind"));
    expect(texts(stage.sandbox, "customer", "name")).toEqual(["Südwind", "Westwind"]);
  });

  it("writes what the ERP changed and changed back, and asks nobody where no create was lost", async () => {
    await using server = await startPostgres();
    await using redis = await startRedis();
    await using stage = await setStage({ environment: { STORE_URL: server.url, QUEUE_URL: redis.url } });
    const names = () => texts(stage.sandbox, "customer", "name");
    {
      await using running = await stage.start();
      stage.erp.insertCustomer({ customer_no: "10001", name1: "Nordwind" });
      await untilState(running.store, "applied", kept!);
      await server.copy();
      stage.erp.renameCustomer("10001", "Südwind");
      await until(
        "the name is known",
        async () => (await running.store.record(kept!))?.applied?.["name"] === "Südwind",
      );
      await server.failOver();
      expect((await running.daemon.failure).code).toBe("E_STORE_REWOUND");
    }
    expect(names()).toEqual(["Südwind"]);
    stage.erp.renameCustomer("10001", "Nordwind");
    await using next = await stage.start();
    await until("the service has what the ERP has", () => names().includes("Nordwind"));
    // The lost write is noticed and compared; only lost creates ask a person.
    expect(next.log.text).not.toContain("stream was held");
  });
});
