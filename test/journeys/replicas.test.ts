import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "#sandbox";
import type { Replica as ReplicaView } from "#store";
import { postgresServer } from "../setup/postgres.ts";
import { startRedis, type TestRedis } from "../setup/redis.ts";
import { FaultyLink } from "../kit/faulty-link.ts";
import { RequestsAtOnce } from "../kit/requests-at-once.ts";
import { deliveredBy, Replica } from "./replica.ts";
import { SlowWay } from "./slow-way.ts";
import { only, setStage, texts, until, type Stage } from "./stage.ts";

const CONCURRENCY = 6;
const CUSTOMERS = 300;

const postgres = postgresServer();
let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => {
  await redis[Symbol.asyncDispose]();
  await postgres.end();
});

/** Three processes over one store and one queue, of which the first leads. */
class Three implements AsyncDisposable {
  readonly stage: Stage;
  readonly all: Replica[] = [];

  private constructor(stage: Stage) {
    this.stage = stage;
  }

  static async start(schema: string, more: Readonly<Record<string, string>> = {}): Promise<Three> {
    const environment = {
      STORE_URL: await postgres.url(),
      STORE_SCHEMA: schema,
      QUEUE_URL: redis.url,
      SERVICE_CONCURRENCY: String(CONCURRENCY),
      ...more,
    };
    const three = new Three(await setStage({ environment }));
    three.stage.sandbox.faults.add({ kind: "latency", ms: 40, method: "POST" });
    for (const name of ["first", "second", "third"]) await three.join(name);
    await until("all three share", async () =>
      (await three.replicas()).every(({ share }) => share === CONCURRENCY / 3),
    );
    return three;
  }

  async join(name: string, more: Readonly<Record<string, string>> = {}): Promise<Replica> {
    const replica = await Replica.start(this.stage, name, more);
    this.all.push(replica);
    await until(`${name} is ready`, () => replica.isReady());
    return replica;
  }

  async replicas(): Promise<readonly ReplicaView[]> {
    await using store = await this.stage.store();
    return store.replicas.list();
  }

  load(from = 10_000, count = CUSTOMERS): void {
    for (let at = 0; at < count; at++) this.stage.erp.insertCustomer({ customer_no: `${from + at}` });
  }

  async untilLoaded(count = CUSTOMERS): Promise<void> {
    await until("the load is over", () => new Set(this.numbers()).size >= count);
    await using store = await this.stage.store();
    await until("nothing is left to do", async () => {
      const counts = (await store.counts()).get("customers") ?? {};
      return counts.applied === count;
    });
  }

  /** The numbers of the service's customers, each as often as it is there. */
  numbers(): string[] {
    return texts(this.stage.sandbox, "customer", "customerId");
  }

  /** Numbers that the service has more than once. */
  get duplicates(): string[] {
    const all = this.numbers();
    return all.filter((number, at) => all.indexOf(number) !== at);
  }

  async stop(): Promise<void> {
    for (const replica of this.all) replica.kill("SIGTERM");
    for (const replica of this.all) await replica.exitCode();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const replica of this.all) await replica[Symbol.asyncDispose]();
    await this.stage[Symbol.asyncDispose]();
  }
}

const [FIRST, SECOND, THIRD] = [0, 1, 2] as const;

describe.each([
  { server: "Redis", queueUrl: async () => redis.url },
  { server: "PostgreSQL", queueUrl: () => postgres.url() },
])("three replicas over one store and a queue in $server", ({ server, queueUrl }) => {
  it("share a first load within the concurrency of one, and one account", async () => {
    const schema = `shared_load_${server.toLowerCase()}`;
    await using three = await Three.start(schema, { QUEUE_URL: await queueUrl() });
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
  it("lose nothing and double nothing when the leader and then a worker is killed", async () => {
    await using three = await Three.start("killed");
    const { all } = three;
    three.load();
    await until("the load is under way", () => three.numbers().length > 40);
    const [leader] = await three.replicas();
    if (!leader?.isLeader) throw new Error("the first replica does not lead");
    all[FIRST]!.kill("SIGKILL");
    await until("another one leads", async () =>
      (await three.replicas()).some(({ isLeader, startedAt }) => isLeader && startedAt > leader.startedAt),
    );
    await until("a third is loaded", () => three.numbers().length > CUSTOMERS / 3);
    all[SECOND]!.kill("SIGKILL");
    await three.untilLoaded();
    expect([three.duplicates, three.numbers().length]).toEqual([[], CUSTOMERS]);
    three.stage.erp.insertCustomer({ customer_no: "late" });
    await until("the last one polls and delivers", () => three.numbers().includes("late"));
  });

  it("take over from one that stands still; that one ends when it goes on", async () => {
    await using three = await Three.start("stopped");
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
    await using three = await Three.start("unserved");
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
    const store = { STORE_URL: await postgres.url(), STORE_SCHEMA: "handed_over", QUEUE_URL: redis.url };
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
    const environment = { STORE_URL: await postgres.url(), STORE_SCHEMA: "another_service", QUEUE_URL: redis.url };
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
    expect(await store.replicas.list()).toHaveLength(2);
  });

  it("switch to another mapping at once, when the last one with the old file ends", async () => {
    await using three = await Three.start("rolling");
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
