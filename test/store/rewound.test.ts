import { describe, expect, it } from "vitest";
import { createsNote, restoredNote, type Store } from "#store";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { customer, upsert } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { thrownBy } from "../kit/outcome.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { ask } from "./postgres-place.ts";

const REWOUND = { family: "stop", code: "E_STORE_REWOUND" };
const joins = { version: "1.2.3", queue: "queue", mapping: "A" };

function join({ url }: TestPostgres): Promise<Store> {
  const clock = { now: () => Date.now() };
  return openPostgresStore({ url, schema: "rewound" }, { as: "daemon", joins, clock, logger: silentLogger });
}

async function begin(store: Store, key: string): Promise<void> {
  await store.stage("customers", { changes: [upsert(key)], cursor: key, backfill: false, complete: true });
  const claim = await store.claim(customer(key));
  if (claim === undefined) throw new Error(`${key} could not be claimed`);
  await store.begin(claim, { resource: "customer", projection: {} });
}

async function untilRefused(store: Store, error: object): Promise<void> {
  await expect.poll(() => thrownBy(store.counts()), { interval: 50, timeout: 20_000 }).toMatchObject(error);
}

/** Resolves when the daemon has looked at the server that runs now. */
async function untilConfirmed({ url }: TestPostgres): Promise<void> {
  const confirmed = "SELECT token FROM rewound.members WHERE server = pg_postmaster_start_time()";
  await expect.poll(() => ask(url, confirmed).catch(() => []), { timeout: 20_000 }).toHaveLength(1);
}

describe("a failover to a standby that lacks the last commits", () => {
  it("ends the daemon that made them, and the store is one that was restored", async () => {
    await using server = await startPostgres();
    {
      await using store = await join(server);
      await store.replicas.lead();
      await begin(store, "1");
      await store.decideAdoption("customers", "empty");
      await server.copy();
      await begin(store, "2");
      await server.failOver();
      const stage = { changes: [upsert("3")], cursor: 3, backfill: false, complete: true };
      expect(await thrownBy(store.stage("customers", stage))).toMatchObject(REWOUND);
      await untilRefused(store, REWOUND);
      expect(store.mayWrite()).toBe(false);
    }
    await using next = await join(server);
    expect(await next.note(restoredNote)).toBe(true);
    expect(await next.adoption("customers")).toBeUndefined();
    expect(await next.note(createsNote)).toBe(2);
    expect(await next.record(customer("3"))).toBeUndefined();
    // It counts on: what is begun now was not lost.
    await next.replicas.lead();
    await begin(next, "2");
    expect(await next.note(createsNote)).toBe(3);
    expect(next.mayWrite()).toBe(true);
  });

  it("is noticed by a daemon that only heard of them, and ends all that work on the store", async () => {
    await using server = await startPostgres();
    await using first = await join(server);
    await using second = await join(server);
    await first.replicas.lead();
    await ask(
      server.url,
      `INSERT INTO rewound.members (token, epoch, name, version, since, expires_at, queue, mapping)
       VALUES ('another', 99, 'another', '1.2.3', now(), now() + interval '1 hour', 'queue', 'A')`,
    );
    await server.copy();
    await begin(first, "1");
    await begin(first, "2");
    // Each of its steps hears how many creates there are.
    await second.saveNote(restoredNote, undefined);
    await first[Symbol.asyncDispose]();
    await server.failOver();
    await untilRefused(second, REWOUND);
    expect(await ask(server.url, "SELECT name FROM rewound.members")).toEqual([]);
    await using next = await join(server);
    expect([await next.note(restoredNote), await next.note(createsNote)]).toEqual([true, 2]);
  });

  it("is noticed by a daemon that joined after those commits, and whose place is lost with them", async () => {
    await using server = await startPostgres();
    await (await join(server))[Symbol.asyncDispose]();
    await server.copy();
    await using store = await join(server);
    await store.replicas.lead();
    await begin(store, "1");
    await server.failOver();
    await untilRefused(store, REWOUND);
    await using next = await join(server);
    expect([await next.note(restoredNote), await next.note(createsNote)]).toEqual([true, 1]);
  });

  it("lets none claim on the new server until each replica has looked there for the creates that it knows of", async () => {
    await using server = await startPostgres();
    await using store = await join(server);
    await store.replicas.lead();
    await store.stage("customers", { changes: [upsert("1")], cursor: 1, backfill: false, complete: true });
    await ask(
      server.url,
      `INSERT INTO rewound.members (token, epoch, name, version, since, expires_at, queue, mapping)
       VALUES ('another', 99, 'another', '1.2.3', now(), now() + interval '1 hour', 'queue', 'A')`,
    );
    await server.copy();
    await server.failOver();
    await untilConfirmed(server);
    expect(await store.claim(customer("1"))).toBeUndefined();
    await ask(server.url, "UPDATE rewound.members SET server = pg_postmaster_start_time()");
    expect(await store.claim(customer("1"))).toBeDefined();
  });

  it("is no restart that lost nothing: the daemon goes on", async () => {
    await using server = await startPostgres();
    await using store = await join(server);
    await store.replicas.lead();
    await begin(store, "1");
    await server.stop("immediate");
    await server.start();
    await untilConfirmed(server);
    await begin(store, "2");
    expect(await store.note(restoredNote)).toBeUndefined();
    expect(store.mayWrite()).toBe(true);
  });
});
