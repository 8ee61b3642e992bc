import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { startRedis, type TestRedis } from "../setup/redis.ts";
import { ask } from "../store/postgres-place.ts";
import { canMount, smallDisk } from "../store/small-disk.ts";
import { Replica } from "./replica.ts";
import { setStage, texts, until, type Stage } from "./stage.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const customers = ({ sandbox }: Stage) => texts(sandbox, "customer", "customerId");

describe("replicas that PostgreSQL refuses later on", () => {
  it("end with one error each, without either password, and their successor knows the new one", async () => {
    await using server = await startPostgres({ hba: ["host all keeper 127.0.0.1/32 scram-sha-256"] });
    await ask(server.url, "CREATE ROLE keeper LOGIN SUPERUSER PASSWORD 'first-secret'");
    const as = (password: string) => ({ STORE_URL: server.url.replace("svcsync@", `keeper:${password}@`) });
    await using stage = await setStage({ environment: { ...as("first-secret"), QUEUE_URL: redis.url } });
    await using first = await Replica.start(stage, "first");
    await until("the first is ready", () => first.isReady());
    await using idle = await Replica.start(stage, "idle");
    await until("the other one is ready", () => idle.isReady());
    await ask(server.url, "ALTER ROLE keeper PASSWORD 'second-secret'");
    await ask(server.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'");
    for (const replica of [first, idle]) {
      expect(await replica.exitCode()).toBe(70);
      expect(replica.log).toMatch(/"level":"error"[^\n]*E_STORE_DENIED[^\n]*"daemon could not continue"/);
    }
    stage.erp.insertCustomer({ customer_no: "10001" });

    await using refused = await Replica.start(stage, "refused");
    expect(await refused.exitCode()).toBe(70);
    expect(refused.log.match(/E_STORE_DENIED/g)).toHaveLength(1);
    await using second = await Replica.start(stage, "second", as("second-secret"));
    await until("the change arrived", () => customers(stage).length === 1);
    expect([first, idle, refused, second].map(({ log }) => log).join("")).not.toMatch(/(first|second)-secret/);
  });
});

describe("two installations on one database", () => {
  it("know nothing of each other in schemas of their own; in one schema, the second is refused for its other queue", async () => {
    await using server = await startPostgres();
    const environment = { STORE_URL: server.url, QUEUE_URL: redis.url };
    await using house = await setStage({ environment: { ...environment, STORE_SCHEMA: "house" } });
    await using branch = await setStage({ environment: { ...environment, STORE_SCHEMA: "branch" } });
    await using first = await Replica.start(house, "first");
    await using second = await Replica.start(branch, "second");
    for (const replica of [first, second]) await until("it is ready", () => replica.isReady());
    house.erp.insertCustomer({ customer_no: "10001" });
    branch.erp.insertCustomer({ customer_no: "20001" });
    await until("both arrived", () => customers(house).length + customers(branch).length === 2);
    expect([customers(house), customers(branch)]).toEqual([["10001"], ["20001"]]);

    branch.erp.insertCustomer({ customer_no: "20002" });
    const mistaken = { STORE_SCHEMA: "house", QUEUE_URL: redis.url.replace(/0$/, "1") };
    await until("its own has it", () => customers(branch).length === 2);
    second.kill("SIGTERM");
    await second.exitCode();
    await using third = await Replica.start(branch, "third", mistaken);
    expect(await third.exitCode()).toBe(70);
    expect(third.log.match(/E_REPLICA_QUEUE/g)).toHaveLength(1);
    expect(await ask(server.url, "SELECT key FROM house.records")).toEqual([{ key: "10001" }]);
  });
});

describe("two replicas whose machines' clocks differ by minutes", () => {
  const MINUTES = 7 * 60_000;

  it("deliver each change in time, and the newest value wins", async () => {
    await using server = await startPostgres();
    await using stage = await setStage({ environment: { STORE_URL: server.url, QUEUE_URL: redis.url } });
    const start = async (name: string, offsetMs: number) => {
      const file = join(stage.folder, `${name}.clock`);
      await writeFile(file, String(offsetMs));
      const fakeClock = fileURLToPath(new URL("../chaos/fake-clock.mjs", import.meta.url));
      const variables = { NODE_OPTIONS: `--import ${fakeClock}`, CHAOS_CLOCK_FILE: file };
      const replica = await Replica.start(stage, name, {}, { variables });
      await until(`${name} is ready`, () => replica.isReady());
      return replica;
    };
    const named = (name: string) => () => texts(stage.sandbox, "customer", "name").includes(name);
    await using ahead = await start("ahead", MINUTES);
    await using _behind = await start("behind", -MINUTES);
    stage.erp.insertCustomer({ customer_no: "10001", name1: "Nordwind" });
    await until("it arrived", named("Nordwind"));
    for (const name of ["Südwind", "Ostwind", "Westwind"]) {
      stage.erp.renameCustomer("10001", name);
      await until(`${name} arrived`, named(name));
    }
    ahead.kill("SIGKILL");
    stage.erp.renameCustomer("10001", "Windstille");
    await until("the other one leads and delivers", named("Windstille"));
    await using later = await start("later", MINUTES);
    stage.erp.renameCustomer("10001", "Sturm");
    await until("the last name arrived", named("Sturm"));
    expect(customers(stage)).toEqual(["10001"]);
    expect(later.log).not.toContain("clock was set back");
  });
});

describe("a replica with nothing to do", () => {
  it("ends when its place among the replicas is gone", async () => {
    await using server = await startPostgres();
    await using stage = await setStage({ environment: { STORE_URL: server.url, QUEUE_URL: redis.url } });
    await using first = await Replica.start(stage, "first");
    await until("the first is ready", () => first.isReady());
    await using second = await Replica.start(stage, "second");
    await until("the second is ready", () => second.isReady());
    await ask(server.url, "DELETE FROM svcsync.members WHERE token NOT IN (SELECT holder FROM svcsync.leases)");
    expect(await second.exitCode()).toBe(70);
    expect(second.log).toContain("E_STORE_LOST");
    expect(await first.status("/readyz")).toBe(200);
  });
});

describe.runIf(canMount())("a daemon whose PostgreSQL has a full disk", () => {
  const COUNT = 300;

  async function loading(server: TestPostgres): Promise<Stage> {
    const stage = await setStage({ environment: { STORE_URL: server.url, QUEUE_URL: redis.url } });
    stage.sandbox.faults.add({ kind: "latency", ms: 40, method: "POST" });
    for (let at = 0; at < COUNT; at++) stage.erp.insertCustomer({ customer_no: `${10_000 + at}` });
    return stage;
  }

  async function expectLoaded(stage: Stage): Promise<void> {
    await until("all arrived", () => customers(stage).length >= COUNT);
    await using store = await stage.store();
    await until("nothing is left to do", async () => (await store.counts()).get("customers")?.applied === COUNT);
    expect(new Set(customers(stage)).size).toBe(COUNT);
    expect(customers(stage)).toHaveLength(COUNT);
  }

  it("ends with one error, and the next one continues once there is space", async () => {
    await using disk = await smallDisk(64);
    await using server = await startPostgres({ tablesIn: disk.path });
    await using stage = await loading(server);
    await using first = await Replica.start(stage, "first");
    await until("the load is under way", () => customers(stage).length > 40);
    const free = await disk.fill();
    expect(await first.exitCode()).toBe(70);
    expect(first.log).toMatch(/"level":"error"[^\n]*E_STORE_FULL[^\n]*"daemon could not continue"/);
    const before = customers(stage).length;
    expect(before).toBeLessThan(COUNT);

    await using second = await Replica.start(stage, "second");
    await until("the next one says so, too", () => second.log.includes("E_STORE_FULL"));
    await free();
    await using third = await Replica.start(stage, "third");
    await expectLoaded(stage);
    expect(await third.status("/readyz")).toBe(200);
  });

  it("waits for the server where the write-ahead log ran out of space and ended it", async () => {
    await using disk = await smallDisk(24);
    const logIn = join(disk.path, "log");
    await mkdir(logIn);
    await using server = await startPostgres({ logIn });
    await using stage = await loading(server);
    await using first = await Replica.start(stage, "first");
    await until("the load is under way", () => customers(stage).length > 40);
    const free = await disk.fill();
    await until("the server is gone", () => first.log.includes("E_STORE_UNREACHABLE"));
    await free();
    await server.stop();
    await server.start();
    await expectLoaded(stage);
    expect(first.log).not.toContain("daemon could not continue");
  });
});
