import { afterAll, beforeAll } from "vitest";
import type { ClusterMember } from "#store";
import { postgresServer } from "../setup/postgres.ts";
import { startRedis, type TestRedis } from "../setup/redis.ts";
import { Replica } from "./replica.ts";
import { setStage, texts, until, type Stage } from "./stage.ts";

export const CONCURRENCY = 6;
export const CUSTOMERS = 300;

/** A store in PostgreSQL and a queue for the replicas of a file's tests, each test with a schema of its own. */
export function replicaServers() {
  const postgres = postgresServer();
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    await redis[Symbol.asyncDispose]();
    await postgres.end();
  });
  return {
    postgresUrl: postgres.url,
    redisUrl: () => redis.url,
    of: async (schema: string) => ({
      STORE_URL: await postgres.url(),
      STORE_SCHEMA: schema,
      QUEUE_URL: redis.url,
    }),
  };
}

/** Three processes over one store and one queue, of which the first leads. */
export class Three implements AsyncDisposable {
  readonly stage: Stage;
  readonly all: Replica[] = [];

  private constructor(stage: Stage) {
    this.stage = stage;
  }

  static async start(servers: Readonly<Record<string, string>>): Promise<Three> {
    const environment = { ...servers, SERVICE_CONCURRENCY: String(CONCURRENCY) };
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

  async replicas(): Promise<readonly ClusterMember[]> {
    await using store = await this.stage.store();
    return store.cluster.members();
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
