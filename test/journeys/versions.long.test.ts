import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "#telemetry";
import { otherVersion } from "../setup/other-version.ts";
import { postgresServer } from "../setup/postgres.ts";
import { startRedis, type TestRedis } from "../setup/redis.ts";
import { deliveredBy, Replica } from "./replica.ts";
import { setStage, texts, until, type Stage } from "./stage.ts";

const NEXT = "99.0.0";
const postgres = postgresServer();
let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis[Symbol.asyncDispose]();
  await postgres.end();
});

/** A stage for replicas, whose ERP gets one customer after the other. */
async function stageFor(
  schema: string,
): Promise<{ stage: Stage; readonly arrives: () => Promise<void> } & AsyncDisposable> {
  const environment = { STORE_URL: await postgres.url(), STORE_SCHEMA: schema, QUEUE_URL: redis.url };
  const stage = await setStage({ environment });
  let last = 10_000;
  return {
    stage,
    async arrives() {
      last += 1;
      stage.erp.insertCustomer({ customer_no: String(last) });
      const arrived = () => texts(stage.sandbox, "customer", "customerId");
      await until(`${last} arrived`, () => arrived().includes(String(last)));
      expect(new Set(arrived()).size).toBe(arrived().length);
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

async function stopped(replica: Replica): Promise<void> {
  replica.kill("SIGTERM");
  expect(await replica.exitCode()).toBe(0);
}

describe("replicas of another version beside those of this one", () => {
  it("deliver nothing until the old ones have ended, and then all", async () => {
    await using next = await otherVersion(NEXT);
    await using place = await stageFor("same_tables");
    const { stage, arrives } = place;
    await using first = await Replica.start(stage, "first");
    await until("the first works", () => first.isReady());
    await using second = await Replica.start(stage, "second");
    await until("the second works", () => second.isReady());
    await arrives();

    await stopped(second);
    await using third = await Replica.start(stage, "third", {}, next);
    await until("the third is there", () => third.isReady());
    expect(await third.text("/readyz")).toContain("E_REPLICA_MAPPING");
    for (let count = 0; count < 10; count++) await arrives();
    expect(deliveredBy(third)).toBe(0);
    await using store = await stage.store();
    expect(await store.cluster.members()).toMatchObject([
      { version, isLeader: true, isAgreed: true },
      { version: NEXT, isLeader: false, isAgreed: false },
    ]);

    await stopped(first);
    await arrives();
    await until("the third says so", () => deliveredBy(third) > 0);
    expect(await third.text("/readyz")).not.toContain("E_REPLICA_MAPPING");
    await stopped(third);
  });

  it("stand by where they change the tables; those that come back in the old version name the one they need", async () => {
    await using next = await otherVersion(NEXT, [
      {
        from: "const functions = [",
        to: 'queueMicrotask(() => postgresMigrations.push("CREATE TABLE of_the_next_version (id integer)"));\nconst functions = [',
      },
      { from: "FUNCTION beat(", to: "FUNCTION beat_of_the_next(" },
      { from: 'call("beat"', to: 'call("beat_of_the_next"' },
    ]);
    await using place = await stageFor("other_tables");
    const { stage, arrives } = place;
    await using first = await Replica.start(stage, "first");
    await until("the first works", () => first.isReady());
    await using second = await Replica.start(stage, "second");
    await until("the second works", () => second.isReady());
    await using third = await Replica.start(stage, "third", {}, next);
    await until("the third stands by", () => third.log.includes("standing by"));
    expect(await third.status("/healthz")).toBe(200);
    expect(await third.status("/readyz")).toBe(503);
    expect(await third.text("/readyz")).toMatch(/"E_STORE_BUSY"[^]*works on the tables of another version/);
    await arrives();
    expect(third.log).not.toContain("migrated the store");

    // One of the old ones stands still while the others are replaced.
    second.kill("SIGSTOP");
    await stopped(first);
    await until("the third works", () => third.isReady());
    expect(third.log).toContain("migrated the store");
    await arrives();
    second.kill("SIGCONT");
    expect(await second.exitCode()).toBe(70);
    expect(second.log).toContain("E_STORE_LOST");

    await using late = await Replica.start(stage, "late");
    expect(await late.exitCode()).toBe(70);
    expect(late.log.match(/E_STORE_NEWER/g)).toHaveLength(1);
    expect(late.log).toContain(`this is svcsync ${version}; run ${NEXT} or newer`);
    const status = await stage.command("status");
    expect([status.code, status.stdout]).toEqual([70, ""]);
    expect(status.stderr).toContain(`run ${NEXT} or newer`);
    await arrives();
    await stopped(third);
  });
});
