import { describe, expect, it } from "vitest";
import { startSandbox } from "#sandbox";
import { FaultyLink } from "../kit/faulty-link.ts";
import { RequestsAtOnce } from "../kit/requests-at-once.ts";
import { deliveredBy, Replica } from "./replica.ts";
import { SlowWay } from "./slow-way.ts";
import { only, setStage, texts, until } from "./stage.ts";
import { CONCURRENCY, CUSTOMERS, replicaServers, Three } from "./three-replicas.ts";

const servers = replicaServers();
const [FIRST, SECOND, THIRD] = [0, 1, 2] as const;

describe.each([
  { server: "Redis", queueUrl: async () => servers.redisUrl() },
  { server: "PostgreSQL", queueUrl: () => servers.postgresUrl() },
])("three replicas over one store and a queue in $server", ({ server, queueUrl }) => {
  it("share a first load within the concurrency of one, and one account", async () => {
    const schema = `shared_load_${server.toLowerCase()}`;
    await using three = await Three.start({ ...(await servers.of(schema)), QUEUE_URL: await queueUrl() });
    const { stage, all } = three;
    using atOnce = new RequestsAtOnce(stage.sandbox.url);
    three.load();
    await three.untilLoaded();
    expect([three.duplicates, three.numbers().length]).toEqual([[], CUSTOMERS]);
    // On a busy machine one may come too late for the first records.
    let count = CUSTOMERS;
    while (all.some((replica) => deliveredBy(replica) === 0)) {
      three.load(10_000 + count);
      await three.untilLoaded((count += CUSTOMERS));
    }
    expect(atOnce.most).not.toEqual([]);
    expect(atOnce.most.slice(CONCURRENCY)).toEqual([]);
    const replicas = await three.replicas();
    expect(replicas.map(({ isLeader }) => isLeader)).toEqual([true, false, false]);
    await three.stop();
    expect(all.map(({ log }) => log.includes("E_STORE_LOST"))).toEqual([false, false, false]);
  });
});

describe("three replicas over one store in PostgreSQL", () => {
  it("take over from one that stands still; that one ends when it goes on", async () => {
    await using three = await Three.start(await servers.of("stopped"));
    const { all, stage } = three;
    three.load();
    await until("the load is under way", () => three.numbers().length > 40);
    const still = all[SECOND]!;
    still.kill("SIGSTOP");
    await until("its place is gone", async () => (await three.replicas()).length === 2);
    await three.untilLoaded();
    stage.erp.renameCustomer("10000", "Changed meanwhile");
    const name = () => JSON.stringify(only(stage.sandbox, "customer", "customerId", "10000")["name"]);
    await until("the change arrives", () => name().includes("Changed meanwhile"));
    still.kill("SIGCONT");
    expect(await still.exitCode()).toBe(70);
    expect(still.log).toContain("E_STORE_LOST");
    expect([three.duplicates, three.numbers().length]).toEqual([[], CUSTOMERS]);
    expect(name()).toContain("Changed meanwhile");
  });

  it("deliver without the one that the service does not answer, which says so and joins in again when it does", async () => {
    await using three = await Three.start(await servers.of("unserved"));
    const { all, stage } = three;
    const service = new URL(stage.sandbox.url);
    await using link = await FaultyLink.to(Number(service.port));
    service.port = String(link.port);
    all[THIRD]!.kill("SIGTERM");
    expect(await all[THIRD]!.exitCode()).toBe(0);
    const cut = await three.join("cut", {
      SERVICE_URL: service.origin,
      SERVICE_FORMER_URL: stage.sandbox.url,
      SERVICE_ANSWER_TIMEOUT_SECONDS: "2",
    });
    const unserved = async () => (await cut.text("/readyz")).includes("E_REPLICA_UNSERVED");
    three.load();
    await until("it delivers", () => deliveredBy(cut) > 0);
    link.hold("toServer", "toClient");
    let count = CUSTOMERS;
    while (!(await unserved())) {
      await three.untilLoaded(count);
      three.load(10_000 + count);
      count += CUSTOMERS;
    }
    expect(await cut.status("/readyz")).toBe(503);
    await three.untilLoaded(count);
    expect((await three.replicas()).map(({ isServed }) => isServed)).toEqual([true, true, false]);

    link.heal();
    await until("it is served again", () => cut.isReady());
    const before = deliveredBy(cut);
    while (deliveredBy(cut) === before) {
      three.load(10_000 + count);
      await three.untilLoaded((count += CUSTOMERS));
    }
    expect([three.duplicates, three.numbers().length]).toEqual([[], count]);
  });

  it("are led by another one while the leader that was stopped still ends a delivery", async () => {
    const store = await servers.of("handed_over");
    await using stage = await setStage({ environment: { ...store, STOP_GRACE_SECONDS: "60" } });
    await using way = await SlowWay.to(stage.sandbox.url);
    const numbers = () => texts(stage.sandbox, "customer", "customerId");
    await using first = await Replica.start(stage, "first", { SERVICE_URL: way.url });
    stage.erp.insertCustomer({ customer_no: "1" });
    const id = { stream: "customers", key: "1" };
    await until("the leader has proven the stream", async () => (await stage.view(id))?.state === "applied");
    const held = way.hold("POST");
    stage.erp.insertCustomer({ customer_no: "2" });
    await held;
    await using second = await Replica.start(stage, "second", { SERVICE_URL: way.url });
    await until("the other one is ready", () => second.isReady());
    first.kill("SIGTERM");
    stage.erp.insertCustomer({ customer_no: "3" });
    await until("the other one polls and delivers", () => numbers().includes("3"));
    expect(numbers()).toEqual(["1", "3"]);
    way.release();
    expect(await first.exitCode()).toBe(0);
    expect(numbers().toSorted()).toEqual(["1", "2", "3"]);
  });

  it("refuse one that has another service, and take one that knows the service by another address", async () => {
    const environment = await servers.of("another_service");
    await using stage = await setStage({ environment });
    await using other = await startSandbox();
    await using way = await SlowWay.to(stage.sandbox.url);
    await using first = await Replica.start(stage, "first");
    await until("the first one is ready", () => first.isReady());
    await using stranger = await Replica.start(stage, "stranger", { SERVICE_URL: other.url });
    expect(await stranger.exitCode()).toBe(70);
    expect(stranger.log).toContain("E_SERVICE_OTHER");
    expect(await stage.command("status")).toMatchObject({ code: 0, stdout: expect.not.stringContaining("stopped") });
    expect(other.ledger.count()).toBe(0);
    const addresses = { SERVICE_URL: way.url, SERVICE_FORMER_URL: stage.sandbox.url };
    await using second = await Replica.start(stage, "second", addresses);
    await until("the second one is ready", () => second.isReady());
    await using store = await stage.store();
    expect(await store.cluster.members()).toHaveLength(2);
  });

  it("switch to another mapping at once, when the last one with the old file ends", async () => {
    await using three = await Three.start(await servers.of("rolling"));
    const { all, stage } = three;
    three.load();
    await three.untilLoaded();
    await stage.edit((text) => text.replace("shortName: short_name", "shortName: { expr: \"'new ' & short_name\" }"));
    three.load(20_000, 100);
    for (const index of [SECOND, THIRD, FIRST]) {
      all[index]!.kill("SIGTERM");
      expect(await all[index]!.exitCode()).toBe(0);
      await three.join(`again${index}`);
    }
    const count = CUSTOMERS + 100;
    await three.untilLoaded(count);
    await until("all are mapped anew", () =>
      texts(stage.sandbox, "customer", "shortName").every((name) => name.startsWith("new ")),
    );
    expect([three.duplicates, three.numbers().length]).toEqual([[], count]);
    const writes = stage.sandbox.ledger.writes({ resource: "customer" });
    const sent = writes.map((write) => JSON.stringify(write.sent));
    const first = sent.findIndex((text) => text.includes('"shortName":"new '));
    const isOld = sent
      .slice(first)
      .filter((text) => text.includes('"shortName":"') && !text.includes('"shortName":"new '));
    expect(isOld).toEqual([]);
  });
});
