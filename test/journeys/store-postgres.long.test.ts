import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FaultyLink } from "../kit/faulty-link.ts";
import { startPostgres } from "../setup/postgres.ts";
import { ask } from "../store/postgres-place.ts";
import { Replica } from "./replica.ts";
import { only, setStage, until, untilState } from "./stage.ts";

describe("a store in PostgreSQL", () => {
  it("carries a daemon through changes and a restart of PostgreSQL, and commands work beside it", async () => {
    await using server = await startPostgres();
    const environment = { STORE_URL: server.url.replace("svcsync@", "svcsync:t0p-secret@"), STORE_SCHEMA: "house_7" };
    await using stage = await setStage({ rows: { customers: 20, contacts: 30 }, environment });
    const { erp, sandbox } = stage;
    {
      await using running = await stage.start();
      erp.insertCustomer({ customer_no: "90001", name1: "Nordwind" });
      const id = { stream: "customers", key: "90001" };
      await untilState(running.store, "applied", id);

      await server.stop();
      await until("the outage was noticed", () => running.log.text.includes("E_STORE_UNREACHABLE"));
      erp.renameCustomer("90001", "Südwind");
      await server.start();
      await until("the change arrived", () =>
        JSON.stringify(only(sandbox, "customer", "customerId", "90001")).includes("Südwind"),
      );

      const status = await stage.command("status", "--json");
      expect(status.code).not.toBe(70);
      expect((await stage.command("explain", "customers/90001")).stdout).toContain("Südwind");
      const checked = await stage.command("check");
      expect(checked.stdout).toContain("the schema house_7 in PostgreSQL can be written");
      const copy = join(stage.folder, "copy.db");
      const backup = await stage.command("backup", copy);
      expect(backup.stderr).toContain("E_STORE_COPY");
      expect(existsSync(copy)).toBe(false);
      const said = [status, checked, backup].flatMap(({ stdout, stderr }) => [stdout, stderr]);
      expect([...said, running.log.text].join("")).not.toContain("t0p-secret");
    }
    expect(existsSync(join(stage.dataDir, "svcsync.db"))).toBe(false);
    expect((await stage.command("sync")).code).toBe(0);
    // Kept over the end of the daemon: how long its changes took.
    const { streams } = JSON.parse((await stage.command("status", "--json")).stdout);
    expect(streams[0].arrival).toMatchObject({ medianMs: expect.any(Number), p95Ms: expect.any(Number) });
    expect((await stage.command("status")).stdout).toMatch(/takes at most[^]*\(95 %: /);
    expect(sandbox.records("customer").filter(({ customerId }) => customerId === "90001")).toHaveLength(1);
  });

  it("ends a daemon whose place others have taken over", async () => {
    await using server = await startPostgres();
    await using stage = await setStage({ rows: { customers: 1 }, environment: { STORE_URL: server.url } });
    await using running = await stage.start();
    await ask(server.url, "DELETE FROM svcsync.members");
    expect(await running.daemon.failure).toMatchObject({ family: "stop", code: "E_STORE_LOST" });
  });

  it("lets a stopped daemon end that is cut off from the store, and the next one does what was left", async () => {
    await using server = await startPostgres();
    await using link = await FaultyLink.to(server.port);
    const environment = { STORE_URL: server.url, STOP_GRACE_SECONDS: "0" };
    await using stage = await setStage({ rows: { customers: 1 }, environment });
    const { erp, sandbox } = stage;
    {
      const url = server.url.replace(`:${server.port}/`, `:${link.port}/`);
      await using replica = await Replica.start(stage, "cut-off", { STORE_URL: url });
      await until("the customer arrived", () => sandbox.records("customer").length === 1);
      link.hold("toServer", "toClient");
      erp.insertCustomer({ customer_no: "90001" });
      replica.kill("SIGTERM");
      expect(await replica.exitCode()).toBe(0);
      expect(replica.log).toMatch(/"waitedMs":15000,"msg":"daemon did not stop cleanly"[^]*"daemon stopped"/);
    }
    await using _running = await stage.start();
    await until("the change arrived", () => sandbox.records("customer").length === 2);
  });
});
