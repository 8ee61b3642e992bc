import { afterAll, describe, expect, it } from "vitest";
import { Replica } from "./replica.ts";
import { setStage, texts, until, type Stage } from "./stage.ts";
import { postgresServer } from "../setup/postgres.ts";

const postgres = postgresServer();
afterAll(() => postgres.end());

async function twoReplicas(stage: Stage): Promise<[Replica, Replica]> {
  const first = await Replica.start(stage, "first");
  await until("the first one works", () => first.isReady());
  const second = await Replica.start(stage, "second");
  await until("the second one stands by", () => second.log.includes("standing by"));
  return [first, second];
}

describe("a daemon that stands by for one with the same store in PostgreSQL", () => {
  it("is alive and not ready, and takes over when that one ends", async () => {
    await using stage = await setStage({
      environment: { STORE_URL: await postgres.url(), STORE_SCHEMA: "clean_stop" },
    });
    const [first, second] = await twoReplicas(stage);
    await using _first = first;
    await using _second = second;
    expect(await second.status("/healthz")).toBe(200);
    expect(await second.status("/readyz")).toBe(503);
    expect(await second.text("/readyz")).toMatch(/"E_STORE_BUSY"[^]*without QUEUE_URL one daemon works at a time/);
    first.kill("SIGTERM");
    expect(await first.exitCode()).toBe(0);
    await until("the second one works", () => second.isReady());
    stage.erp.insertCustomer({ customer_no: "10001" });
    await until("a change arrives", () => texts(stage.sandbox, "customer", "customerId").includes("10001"));
    second.kill("SIGTERM");
    expect(await second.exitCode()).toBe(0);
  });

  it("takes over from one that stands still; that one sends nothing when it goes on, and ends", async () => {
    const environment = { STORE_URL: await postgres.url(), STORE_SCHEMA: "stands_still" };
    await using stage = await setStage({ environment });
    const { sandbox, erp } = stage;
    sandbox.faults.add({ kind: "latency", ms: 30, method: "POST" });
    const [first, second] = await twoReplicas(stage);
    await using _first = first;
    await using _second = second;
    // Only now, so that the load is not over before the second one is there.
    for (let at = 0; at < 150; at++) erp.insertCustomer({ customer_no: `${10_000 + at}` });
    const posts = () => sandbox.ledger.count({ method: "POST" });
    await until("the load is under way", () => posts() > 40);
    first.kill("SIGSTOP");
    const wanted = erp.all("customers").filter((row) => row.deleted === 0);
    await until("the second one took over", () => second.isReady());
    await until(
      "the second one finished the load",
      () => texts(sandbox, "customer", "customerId").length === wanted.length,
    );
    const before = sandbox.ledger.count({});
    first.kill("SIGCONT");
    expect(await first.exitCode()).toBe(70);
    expect(first.log).toContain("E_STORE_LOST");
    const writes = sandbox.ledger.writes({ resource: "customer", action: "create" });
    expect(new Set(writes.map(({ record }) => record?.["customerId"])).size).toBe(writes.length);
    expect(writes.length).toBe(wanted.length);
    expect(sandbox.ledger.count({ method: "POST" }) + sandbox.ledger.count({ method: "PUT" })).toBeLessThanOrEqual(
      before,
    );
    second.kill("SIGTERM");
    expect(await second.exitCode()).toBe(0);
  });
});
