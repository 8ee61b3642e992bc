import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { startRedis, type TestRedis } from "../setup/redis.ts";
import { ask, configure } from "../store/postgres-place.ts";
import { setStage, texts, until, untilState, type Stage } from "./stage.ts";

let redis: TestRedis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis[Symbol.asyncDispose]());

const customers = ({ sandbox }: Stage) => texts(sandbox, "customer", "customerId");
const customer = (key: string) => ({ stream: "customers", key });

describe("a daemon whose PostgreSQL takes no writes", () => {
  it.each([
    {
      since: "it is a standby",
      begin: async (server: TestPostgres) => {
        await server.stop();
        await server.start({ isStandby: true });
      },
      end: async ({ url }: TestPostgres) => {
        await ask(url, "SELECT pg_promote()");
      },
    },
    {
      since: "it is set to read only",
      begin: (server: TestPostgres) => configure(server.url, "default_transaction_read_only", "on"),
      end: (server: TestPostgres) => configure(server.url, "default_transaction_read_only", "off"),
    },
  ])("writes nothing to the service, says why, and continues when it takes them again ($since)", async (how) => {
    await using server = await startPostgres();
    await using stage = await setStage({ environment: { STORE_URL: server.url, QUEUE_URL: redis.url } });
    {
      await using running = await stage.start();
      stage.erp.insertCustomer({ customer_no: "10001" });
      await untilState(running.store, "applied", customer("10001"));
      await how.begin(server);
      stage.erp.insertCustomer({ customer_no: "10002" });
      await until("it is not ready, with the reason", async () => {
        const ready = await fetch(`${running.daemon.url}/readyz`);
        const { parts } = JSON.parse(await ready.text());
        return ready.status === 503 && parts.replica.code === "E_STORE_READONLY";
      });
      expect((await stage.command("check")).stdout).toMatch(
        /PROBLEM +store: [^\n]+ takes no writes[^\n]+\(E_STORE_READONLY\)/,
      );
      expect((await stage.command("status")).stdout).toContain("customers");
      expect(customers(stage)).toEqual(["10001"]);

      await how.end(server);
      await untilState(running.store, "applied", customer("10002"));
      expect(customers(stage)).toEqual(["10001", "10002"]);
      const said = running.log.lines("place among the replicas could not be confirmed");
      expect(said.filter(({ err }) => JSON.stringify(err).includes("E_STORE_READONLY"))).toHaveLength(1);
      await until("it is ready", async () => (await fetch(`${running.daemon.url}/readyz`)).status === 200);
    }
    await how.begin(server);
    await expect(stage.start()).rejects.toMatchObject({ family: "retry", code: "E_STORE_READONLY" });
    await how.end(server).catch(() => undefined);
  });
});
