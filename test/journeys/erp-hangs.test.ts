import { once } from "node:events";
import { createServer } from "node:http";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { listen } from "../setup/listen.ts";
import { startPostgres } from "../setup/postgres.ts";
import { setStage, until } from "./stage.ts";

/** The longest grace that there is: who waits for it runs into the test's own end. */
const environment = { STOP_GRACE_SECONDS: "3600" };

const syncFile = (source: string, read: string) => `
sources:
  erp: ${source}
streams:
  customers:
    source: erp
    read: ${read}
    resource: customer
    match: [customerId]
    fields:
      customerId: id
      name: name
      customerStatus: { lookup: customerStatus, by: name, value: { const: Active } }
`;

describe("an ERP that never answers", () => {
  it("does not hold up the stop of the daemon: the request is given up", async () => {
    const server = createServer((request) => void request.on("error", () => undefined));
    const connected = once(server, "connection");
    const asked = once(server, "request");
    const url = `http://127.0.0.1:${await listen(server)}`;
    await using stage = await setStage({
      syncFile: syncFile(`{ adapter: rest, url: "${url}" }`, "{ path: customers, key: id }"),
      environment,
    });
    const running = await stage.start();
    const [socket] = await connected;
    const givenUp = new Promise<boolean>((resolve) => void socket.once("close", () => resolve(true)));
    await asked;
    await running[Symbol.asyncDispose]();
    await expect(givenUp).resolves.toBeDefined();
    server.close();
  });

  it("does not hold up the stop of the daemon: the query behind a lock is given up", async () => {
    await using postgres = await startPostgres();
    const holder = new Client(postgres.url);
    holder.on("error", () => undefined);
    await holder.connect();
    await holder.query("create table customers (id text primary key, name text not null)");
    await using stage = await setStage({
      syncFile: syncFile('{ adapter: sql, url: "${ERP_URL}" }', "{ table: customers, key: id }"),
      environment: { ...environment, ERP_URL: postgres.url },
    });
    const running = await stage.start();
    await until("it is polled", async () => (await running.store.stream("customers")).completedAt !== undefined);
    await holder.query("begin; lock table customers in access exclusive mode");
    const waiting = "select count(*)::int as n from pg_locks where not granted";
    await until("a poll waits for the lock", async () => (await holder.query(waiting)).rows[0].n > 0);
    await running[Symbol.asyncDispose]();
    const gone = "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'";
    await until("the server knows that nobody waits", async () => (await holder.query(gone)).rows[0].n === 0);
    expect(running.log.lines("daemon did not stop cleanly")).toEqual([]);
    await holder.end();
  });
});
