import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "#store";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { Scene, customer, upsert, written, OOPS } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { ask, postgresPlace } from "./postgres-place.ts";

function open(url: string, schema: string): Promise<Store> {
  return openPostgresStore({ url, schema }, { as: "daemon", clock: new SetClock(), logger: silentLogger });
}

/** A step that a living process builds on, and what tells that it is there. */
interface Confirmed {
  readonly what: string;
  readonly before?: (scene: Scene) => Promise<unknown>;
  readonly step: (scene: Scene) => Promise<unknown>;
  readonly told: (store: Store) => Promise<unknown>;
}

const batch = { backfill: false, complete: false };
const cursor = (store: Store) => store.stream("customers");
const record = (store: Store) => store.record(customer("1"));
const bound = (scene: Scene) => scene.bound(customer("1"), 11);

const steps: readonly Confirmed[] = [
  {
    what: "a batch of a poll",
    step: ({ store }) => store.stage("customers", { changes: [upsert("1")], cursor: 1, ...batch }),
    told: async (store) => [await cursor(store), await record(store)],
  },
  {
    what: "a batch of the deletion feed",
    before: async ({ store }) => void (await store.stage("customers", { changes: [upsert("1")], cursor: 1, ...batch })),
    step: ({ store }) => store.stageDeletions("customers", { changes: [{ kind: "delete", key: "1" }], cursor: 2 }),
    told: async (store) => [await cursor(store), await record(store)],
  },
  {
    what: "a cursor that was forgotten",
    before: bound,
    step: ({ store }) => store.resetCursor("customers"),
    told: cursor,
  },
  {
    what: "another mapping",
    before: async (scene) => {
      await scene.store.remap("customers", "A");
      await bound(scene);
    },
    step: ({ store }) => store.remap("customers", "B"),
    told: async (store) => [(await store.stream("customers")).fingerprint, await record(store)],
  },
  {
    what: "a page of the match index",
    before: async ({ store }) => void (await store.beginMatches("customer")),
    step: ({ store }) => store.saveMatches("customer", [{ serviceId: 7, keys: { name: "seven" } }]),
    told: (store) => store.matches("customer", "name", "seven"),
  },
  {
    what: "the end of a delivery",
    before: bound,
    step: async (scene) => {
      await scene.stage([upsert("1", { v: 2 })]);
      await scene.store.end(await scene.claim(customer("1")), { kind: "apply", applied: written({ v: 2 }) });
    },
    told: record,
  },
  {
    what: "a person's retry",
    before: async (scene) => scene.store.end(await scene.claimed(customer("1")), { kind: "park", error: OOPS }),
    step: ({ store }) => store.retryNow({ states: ["parked"] }),
    told: record,
  },
];

describe("a step that PostgreSQL confirmed before it crashed", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
    // What waits for no disk stays in memory: the crash takes it.
    await ask(server.url, "ALTER SYSTEM SET wal_writer_delay = '10s'");
    await server.stop();
    await server.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(steps)("is there for the daemon that outlives the crash: $what", async ({ before, step, told }) => {
    await using scene = await Scene.open(() => postgresPlace(server.url));
    await before?.(scene);
    // Only the step itself can be lost.
    await ask(server.url, "CHECKPOINT");
    await step(scene);
    const known = await told(scene.store);
    await server.stop("immediate");
    await server.start();
    await expect.poll(() => scene.store.cluster.mayWrite()).toBe(true);
    // A read may meet a connection whose end was not noticed yet: then it is asked again.
    await expect.poll(() => told(scene.store)).toEqual(known);
  });
});

describe("a PostgreSQL that is stopped at once", () => {
  it("is waited for, and nothing is sent to the service meanwhile", async () => {
    await using own = await startPostgres();
    await using store = await open(own.url, "svcsync");
    const keys = Array.from({ length: 20 }, (_, at) => `${at}`);
    await store.stage("customers", {
      changes: keys.map((key) => upsert(key)),
      cursor: 1,
      backfill: false,
      complete: true,
    });
    for (const [at, key] of keys.entries()) {
      const claim = (await store.claim(customer(key)))!;
      await store.begin(claim, { resource: "customer", projection: {} });
      if (at % 2 === 0)
        await store.end(claim, {
          kind: "bind",
          binding: { resource: "customer", serviceId: at + 1 },
          applied: written({}),
        });
    }
    await own.stop("immediate");
    await expect(store.counts()).rejects.toMatchObject({ family: "retry", code: "E_STORE_UNREACHABLE" });
    // Before its lease can end, nothing may be sent to the service any more; afterwards again.
    await expect.poll(() => store.cluster.mayWrite()).toBe(false);
    // A step waits for the server, since the id of a new record is known to this process alone.
    const staged = store.stage("customers", {
      changes: [upsert("new")],
      cursor: 2,
      backfill: false,
      complete: true,
    });
    await own.start();
    expect(await staged).toEqual({ changed: 1, unchanged: 0 });
    await expect.poll(() => store.cluster.mayWrite()).toBe(true);
    for (const [at, key] of keys.entries()) {
      const view = await store.record(customer(key));
      expect([view?.binding?.serviceId, view?.intent !== undefined]).toEqual(
        at % 2 === 0 ? [at + 1, false] : [undefined, true],
      );
    }
  });
});
