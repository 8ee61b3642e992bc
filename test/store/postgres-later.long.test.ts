import { randomBytes } from "node:crypto";
import { chown } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import type { Store } from "#store";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { customer, upsert } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { startPostgres } from "../setup/postgres.ts";
import { unprivilegedOwner } from "../setup/server.ts";
import { ask, configure } from "./postgres-place.ts";
import { canMount, smallDisk } from "./small-disk.ts";

const open = (url: string, as: "daemon" | "operator" = "daemon") =>
  openPostgresStore({ url, schema: "svcsync" }, { as, clock: systemClock, logger: silentLogger });
const staged = (store: Store, ...keys: string[]) =>
  store.stage("customers", { changes: keys.map((key) => upsert(key)), cursor: 1, backfill: false, complete: true });

const readOnly = (url: string, isOn: boolean) => configure(url, "default_transaction_read_only", isOn ? "on" : "off");

/** Ends all connections of the store, as a server does that was started again. */
const endConnections = (url: string) =>
  ask(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svcsync'");

describe("a PostgreSQL that changes under a daemon", () => {
  it("and only reads keeps steps waiting, refuses them with one error, and takes them when it writes again", async () => {
    await using server = await startPostgres();
    await using store = await open(server.url);
    await staged(store, "1");
    await readOnly(server.url, true);
    await expect(staged(store, "2")).rejects.toMatchObject({ family: "retry", code: "E_STORE_READONLY" });
    await using operator = await open(server.url, "operator");
    expect(await operator.record(customer("2"))).toBeUndefined();
    await expect(operator.check()).rejects.toMatchObject({ family: "retry", code: "E_STORE_READONLY" });

    const staging = staged(store, "2");
    await readOnly(server.url, false);
    expect(await staging).toEqual({ changed: 1, unchanged: 0 });
  });

  it("and only reads on the connections that there are takes steps on the next ones, as after a failover", async () => {
    await using server = await startPostgres();
    await ask(server.url, "CREATE ROLE keeper LOGIN SUPERUSER");
    await using store = await open(server.url.replace("svcsync@", "keeper@"));
    await staged(store, "1");
    await readOnly(server.url, true);
    const own = new URL(server.url);
    own.searchParams.set("options", "-c default_transaction_read_only=off");
    await ask(own.href, "ALTER ROLE keeper SET default_transaction_read_only = off");
    expect(await staged(store, "2")).toEqual({ changed: 1, unchanged: 0 });
  });

  it("and becomes a standby is not read by a daemon: what it shows may be old", async () => {
    await using server = await startPostgres();
    await using store = await open(server.url);
    await staged(store, "1");
    await server.stop();
    await server.start({ isStandby: true });
    const reading = () => store.record(customer("1")).catch((thrown: unknown) => thrown);
    await expect.poll(reading).toMatchObject({ family: "retry", code: "E_STORE_READONLY" });
    await using operator = await open(server.url, "operator");
    expect(await operator.record(customer("1"))).toMatchObject({ id: customer("1") });
    await ask(server.url, "SELECT pg_promote()");
    expect(await staged(store, "2")).toEqual({ changed: 1, unchanged: 0 });
  });

  it("and has the functions of another version ends the daemon that stood still meanwhile", async () => {
    await using server = await startPostgres();
    await using store = await open(server.url);
    await ask(server.url, "ALTER FUNCTION svcsync.beat RENAME TO beat_2");
    expect(await store.cluster.failure).toMatchObject({ family: "stop", code: "E_STORE_LOST" });
    await ask(server.url, "ALTER FUNCTION svcsync.beat_2 RENAME TO beat");
  });

  it("and has another password refuses steps with one error, without either password", async () => {
    await using server = await startPostgres({ hba: ["host all keeper 127.0.0.1/32 scram-sha-256"] });
    await ask(server.url, "CREATE ROLE keeper LOGIN SUPERUSER PASSWORD 'first-secret'");
    const url = server.url.replace("svcsync@", "keeper:first-secret@");
    await using store = await open(url);
    await staged(store, "1");
    await ask(server.url, "ALTER ROLE keeper PASSWORD 'second-secret'");
    await endConnections(server.url);
    const refused = () => staged(store, "2").catch((thrown: unknown) => thrown);
    await expect.poll(refused).toMatchObject({ family: "stop", code: "E_STORE_DENIED" });
    expect(String(await refused())).not.toMatch(/(first|second)-secret/);
    expect(await ask(server.url, "SELECT key FROM svcsync.records")).toEqual([{ key: "1" }]);
    await ask(server.url, "ALTER ROLE keeper PASSWORD 'first-secret'");
    await expect.poll(refused).toEqual({ changed: 1, unchanged: 0 });
  });

  it.runIf(canMount())("and has a full disk refuses a step whole", async () => {
    await using disk = await smallDisk();
    const owner = await unprivilegedOwner();
    if (owner) await chown(disk.path, owner.uid, owner.gid);
    await using server = await startPostgres();
    await using store = await open(server.url);
    await staged(store, "1");
    await ask(server.url, `CREATE TABLESPACE small LOCATION '${disk.path}'`);
    await ask(server.url, "ALTER TABLE svcsync.contents SET TABLESPACE small");
    const text = randomBytes(1_000_000).toString("hex");
    const staging = store.stage("customers", {
      changes: [upsert("2", { text })],
      cursor: 2,
      backfill: false,
      complete: true,
    });
    await expect(staging).rejects.toMatchObject({ family: "stop", code: "E_STORE_FULL" });
    expect(await store.record(customer("2"))).toBeUndefined();
    expect((await store.stream("customers")).cursor).toBe(1);
    // The rest of the store goes on.
    expect(await staged(store, "3")).toEqual({ changed: 1, unchanged: 0 });
  });
});
