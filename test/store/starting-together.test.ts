import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Standby, Store, WaitReason } from "#store";
import { Schema } from "../../src/store/postgres/connection/schema.ts";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { silentLogger } from "../kit/logger.ts";
import { thrownBy } from "../kit/outcome.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { ask, postgresPlace, type PostgresPlace } from "./postgres-place.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

interface Waited {
  readonly holder: string;
  readonly why: WaitReason;
}

/** Opens the store as daemons do; `waits` are those that a person was told of. */
class Daemons implements AsyncDisposable {
  readonly place: PostgresPlace;
  readonly waits: Waited[] = [];
  readonly #stores: Store[] = [];
  readonly #ended = new AbortController();

  private constructor(place: PostgresPlace) {
    this.place = place;
  }

  static async on(): Promise<Daemons> {
    return new Daemons(await postgresPlace(server.url));
  }

  /** `isAlone`: as without QUEUE_URL. */
  async start({ isAlone = false } = {}): Promise<Store> {
    const waits = async (holder: string, why: WaitReason) => {
      this.waits.push({ holder, why });
      return { [Symbol.asyncDispose]: async () => {} };
    };
    const standby: Standby = { signal: this.#ended.signal, waits };
    const joins = isAlone ? {} : { joins: { version: "1.2.3", queue: "queue", mapping: "A" } };
    const clock = { now: () => Date.now() };
    const store = await openPostgresStore(this.place.location, {
      as: "daemon",
      clock,
      logger: silentLogger,
      standby,
      ...joins,
    });
    this.#stores.push(store);
    return store;
  }

  sql<Row extends object>(statement: string): Promise<Row[]> {
    return ask(server.url, statement.replaceAll("@", `"${this.place.schema}".`));
  }

  /** Gives the lease of the daemon to a program, as long as a sign of life does. */
  async lease(holder: string, name: string): Promise<void> {
    await this.sql(`
      INSERT INTO @leases AS l (role, holder, name, expires_at) VALUES ('daemon', '${holder}', '${name}', clock_timestamp() + interval '8 s')
      ON CONFLICT (role) DO UPDATE SET holder = excluded.holder, name = excluded.name, expires_at = excluded.expires_at`);
  }

  /** Renews the lease until a daemon has told whom it waits for. */
  async renewUntilTold(holder: string, name: string): Promise<void> {
    await vi.waitUntil(async () => (await this.lease(holder, name), this.waits.length > 0), { timeout: 120_000 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#stores.map((store) => store[Symbol.asyncDispose]()));
    await this.place[Symbol.asyncDispose]();
  }
}

async function emptySchema(place: PostgresPlace): Promise<Schema> {
  const schema = new Schema(place.location);
  onTestFinished(() => schema[Symbol.asyncDispose]());
  expect(await schema.isCurrent()).toBe(false);
  return schema;
}

describe("daemons that start together on one store in PostgreSQL", () => {
  it("all join where it is empty", async () => {
    await using daemons = await Daemons.on();
    const [first] = await Promise.all([daemons.start(), daemons.start(), daemons.start()]);
    expect(await first.cluster.members()).toHaveLength(3);
    expect(daemons.waits.filter(({ why }) => why !== "tablesChange")).toEqual([]);
  });

  it("join when another one has made the tables during the wait and works on them", async () => {
    await using daemons = await Daemons.on();
    const schema = await emptySchema(daemons.place);
    await daemons.lease("changes/1", "the first");
    const second = daemons.start();
    const third = daemons.start();
    await daemons.renewUntilTold("changes/1", "the first");
    await schema.bringUpToDate(silentLogger, "SELECT 1");
    await daemons.sql(`
      INSERT INTO @members (token, epoch, name, version, since, expires_at, queue, mapping)
      VALUES ('one', 99, 'the first', '1.2.3', now(), now() + interval '1 hour', 'queue', 'A')`);
    await daemons.sql(
      `UPDATE @leases SET holder = 'one', expires_at = now() + interval '1 hour' WHERE role = 'daemon'`,
    );
    const store = await second;
    await third;
    expect((await store.cluster.members()).filter(({ isLeader }) => !isLeader)).toHaveLength(2);
    expect(new Set(daemons.waits.map(({ holder, why }) => `${holder}: ${why}`))).toEqual(
      new Set(["the first: tablesChange"]),
    );
  });

  it("all join after an upgrade that changes the tables, once the last of the old version has ended", async () => {
    await using daemons = await Daemons.on();
    const old = await daemons.start();
    await daemons.sql("UPDATE @store_version SET functions = 'other'");
    const upgraded = [daemons.start(), daemons.start(), daemons.start()];
    await expect.poll(() => daemons.waits.length).toBe(3);
    expect(new Set(daemons.waits.map(({ why }) => why))).toEqual(new Set(["otherTables"]));
    await old[Symbol.asyncDispose]();
    const [first] = await Promise.all(upgraded);
    expect(await first!.cluster.members()).toHaveLength(3);
  });

  it("are told who works alone", async () => {
    await using daemons = await Daemons.on();
    const alone = await daemons.start({ isAlone: true });
    const others = [daemons.start(), daemons.start({ isAlone: true })];
    await expect.poll(() => daemons.waits.length).toBe(2);
    expect(daemons.waits.map(({ why }) => why).toSorted()).toEqual(["alone", "holderAlone"]);
    await alone[Symbol.asyncDispose]();
    const store = await Promise.race(others);
    await store[Symbol.asyncDispose]();
    await Promise.all(others);
  });

  it("are told anew when they wait for another one", async () => {
    await using daemons = await Daemons.on();
    await emptySchema(daemons.place);
    await daemons.lease("changes/1", "the first");
    const opened = daemons.start();
    await daemons.renewUntilTold("changes/1", "the first");
    await daemons.lease("old", "the second");
    await expect
      .poll(() => daemons.waits.at(-1))
      .toEqual({
        holder: "the second",
        why: "otherTables",
      });
    await daemons.sql("DELETE FROM @leases");
    await opened;
  });

  it("change nothing after another one took over the change of the tables", async () => {
    await using daemons = await Daemons.on();
    await emptySchema(daemons.place);
    const session = new Client({ connectionString: server.url });
    await session.connect();
    await using _session = { [Symbol.asyncDispose]: () => session.end() };
    await session.query(`BEGIN; SELECT * FROM "${daemons.place.schema}".store_version FOR UPDATE`);
    const opened = thrownBy(daemons.start());
    const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'transactionid'";
    await expect.poll(() => daemons.sql(waits)).toHaveLength(1);
    await daemons.lease("changes/2", "the second");
    await session.query("COMMIT");
    expect(await opened).toMatchObject({ family: "stop", code: "E_STORE_LOST" });
    expect(await daemons.sql("SELECT version FROM @store_version")).toEqual([{ version: 0 }]);
  });
});
