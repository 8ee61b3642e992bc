import { describe, expect, it } from "vitest";
import { createsNote, restoredNote, type Claim, type Store } from "#store";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { customer, upsert, written } from "../conformance/store-scene.ts";
import { FaultyLink } from "../kit/faulty-link.ts";
import { silentLogger } from "../kit/logger.ts";
import { thrownBy } from "../kit/outcome.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { ask } from "./postgres-place.ts";

const REWOUND = { family: "stop", code: "E_STORE_REWOUND" };
const joins = { version: "1.2.3", queue: "queue", mapping: "A" };

function join({ url: direct }: TestPostgres, port?: number): Promise<Store> {
  const to = new URL(direct);
  if (port !== undefined) to.port = String(port);
  const { href: url } = to;
  const clock = { now: () => Date.now() };
  return openPostgresStore({ url, schema: "rewound" }, { as: "daemon", joins, clock, logger: silentLogger });
}

async function begin(store: Store, key: string): Promise<Claim> {
  await store.stage("customers", { changes: [upsert(key)], cursor: key, backfill: false, complete: true });
  const claim = await store.claim(customer(key));
  if (claim === undefined) throw new Error(`${key} could not be claimed`);
  await store.begin(claim, { resource: "customer", projection: {} });
  return claim;
}

async function bind(store: Store, key: string, serviceId: number): Promise<void> {
  await store.end(await begin(store, key), {
    kind: "bind",
    binding: { resource: "customer", serviceId },
    applied: written({ name: "Old" }),
  });
}

const report = () => ({ held: 0, isServed: true, ceiling: 10, pausedMs: 0, rate: undefined });
const share = (store: Store) => store.cluster.state.share ?? 0;

/** Resolves after a heartbeat that began after the call. */
function heartbeat({ cluster }: Store): Promise<void> {
  let count = 0;
  return new Promise((resolve) => {
    cluster.follow(report, () => {
      // One may have been under way, and one is the state of now.
      if (++count === 3) resolve();
    });
  });
}

async function untilRefused(store: Store, error: object): Promise<void> {
  await expect.poll(() => thrownBy(store.counts()), { interval: 50, timeout: 120_000 }).toMatchObject(error);
}

/** Resolves when the daemon has looked at the server that runs now. */
async function untilConfirmed({ url }: TestPostgres): Promise<void> {
  const confirmed = "SELECT token FROM rewound.members WHERE server = pg_postmaster_start_time()";
  await expect.poll(() => ask(url, confirmed).catch(() => []), { timeout: 120_000 }).toHaveLength(1);
}

describe("a failover to a standby that lacks the last commits", () => {
  it("ends the daemon that made them, and the store is one that was restored", async () => {
    await using server = await startPostgres();
    {
      await using store = await join(server);
      await store.cluster.lead();
      await begin(store, "1");
      await store.decideAdoption("customers", "empty");
      await server.copy();
      await begin(store, "2");
      await server.failOver();
      const stage = { changes: [upsert("3")], cursor: 3, backfill: false, complete: true };
      expect(await thrownBy(store.stage("customers", stage))).toMatchObject(REWOUND);
      await untilRefused(store, REWOUND);
      expect(store.cluster.mayWrite()).toBe(false);
    }
    await using next = await join(server);
    expect(await next.note(restoredNote)).toBe(true);
    expect((await next.stream("customers")).adoption).toBeUndefined();
    expect(await next.note(createsNote)).toBe(2);
    expect(await next.record(customer("3"))).toBeUndefined();
    // It counts on: what is begun now was not lost.
    await next.cluster.lead();
    await begin(next, "2");
    expect(await next.note(createsNote)).toBe(3);
    expect(next.cluster.mayWrite()).toBe(true);
  });

  it("is noticed by a daemon that only heard of them, and ends all that work on the store", async () => {
    await using server = await startPostgres();
    await using first = await join(server);
    await using second = await join(server);
    await first.cluster.lead();
    await ask(
      server.url,
      `INSERT INTO rewound.members (token, epoch, name, version, since, expires_at, queue, mapping)
       VALUES ('another', 99, 'another', '1.2.3', now(), now() + interval '1 hour', 'queue', 'A')`,
    );
    await server.copy();
    await begin(first, "1");
    await begin(first, "2");
    // It does nothing: its heartbeats hear how many creates there are.
    await heartbeat(second);
    await first[Symbol.asyncDispose]();
    await server.failOver();
    await untilRefused(second, REWOUND);
    // It refuses steps first, and then ends all places.
    await expect.poll(() => ask(server.url, "SELECT name FROM rewound.members"), { timeout: 120_000 }).toEqual([]);
    await using next = await join(server);
    expect([await next.note(restoredNote), await next.note(createsNote)]).toEqual([true, 2]);
  });

  it("is noticed by a daemon that joined after those commits, and whose place is lost with them", async () => {
    await using server = await startPostgres();
    await (await join(server))[Symbol.asyncDispose]();
    await server.copy();
    await using store = await join(server);
    await store.cluster.lead();
    await begin(store, "1");
    await server.failOver();
    await untilRefused(store, REWOUND);
    await using next = await join(server);
    expect([await next.note(restoredNote), await next.note(createsNote)]).toEqual([true, 1]);
  });

  it("lets none claim on the new server until each replica has looked there for the creates that it knows of", async () => {
    await using server = await startPostgres();
    await using store = await join(server);
    await store.cluster.lead();
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
    // What it claimed before the failover may be another one's by steps that were lost.
    await expect.poll(() => store.cluster.mayWrite(), { timeout: 120_000 }).toBe(false);
    await ask(server.url, "UPDATE rewound.members SET server = pg_postmaster_start_time()");
    expect(await store.claim(customer("1"))).toBeDefined();
    await expect.poll(() => store.cluster.mayWrite()).toBe(true);
  });

  it("is noticed although another one has begun as many creates since", async () => {
    await using server = await startPostgres();
    await using link = await FaultyLink.to(server.port);
    await using store = await join(server, link.port);
    await store.cluster.lead();
    await server.copy();
    await begin(store, "1");
    link.hold("toServer", "toClient");
    await server.failOver();
    // As a message of another replica does it.
    await ask(server.url, "SET search_path = rewound; SELECT count_step(); SELECT save_creates(1)");
    link.heal();
    link.reset();
    await expect.poll(() => ask(server.url, "SELECT name FROM rewound.members"), { timeout: 120_000 }).toEqual([]);
    await untilRefused(store, REWOUND);
    await using next = await join(server);
    expect([await next.note(restoredNote), await next.note(createsNote)]).toEqual([true, 1]);
  });

  it("gives no replica more of the requests than it has, until the shares are right again", async () => {
    await using server = await startPostgres();
    await using first = await join(server);
    await first.cluster.lead();
    await using link = await FaultyLink.to(server.port);
    await using second = await join(server, link.port);
    const told: number[] = [];
    let isServed = false;
    first.cluster.follow(
      () => ({ held: share(first), isServed: true, ceiling: 10, pausedMs: 0, rate: undefined }),
      (state) => void told.push(state.share ?? 0),
    );
    second.cluster.follow(
      () => ({ held: share(second), isServed, ceiling: 10, pausedMs: 0, rate: undefined }),
      () => undefined,
    );
    const shares = () => [share(first), share(second)];
    await expect.poll(shares, { timeout: 120_000 }).toEqual([9, 1]);
    await server.copy();
    isServed = true;
    await expect.poll(shares, { timeout: 120_000 }).toEqual([5, 5]);
    told.length = 0;
    link.hold("toServer", "toClient");
    await server.failOver();
    // The second one is not heard of yet.
    await untilConfirmed(server);
    await expect.poll(() => told.length).toBeGreaterThan(2);
    link.heal();
    link.reset();
    const confirmed = "SELECT token FROM rewound.members WHERE server = pg_postmaster_start_time()";
    await expect.poll(() => ask(server.url, confirmed), { timeout: 120_000 }).toHaveLength(2);
    await expect.poll(shares, { timeout: 120_000 }).toEqual([5, 5]);
    expect(Math.max(...told)).toBe(5);
  });

  it("is no restart that lost nothing: the daemon goes on", async () => {
    await using server = await startPostgres();
    await using store = await join(server);
    await store.cluster.lead();
    await begin(store, "1");
    await server.stop("immediate");
    await server.start();
    await untilConfirmed(server);
    await begin(store, "2");
    expect(await store.note(restoredNote)).toBeUndefined();
    expect(store.cluster.mayWrite()).toBe(true);
  });
});

/** A step that is lost, and one that builds on it. */
interface Continued {
  readonly what: string;
  readonly before?: (store: Store) => Promise<unknown>;
  readonly lost: (store: Store) => Promise<unknown>;
  readonly next: (store: Store) => Promise<unknown>;
}

const batch = (key: string, complete: boolean) => ({ changes: [upsert(key)], cursor: key, backfill: false, complete });
const SWEEP = 1;

const continued: readonly Continued[] = [
  {
    what: "a poll would pass over the rows of its first batch",
    lost: (store) => store.stage("customers", batch("1", false)),
    next: (store) => store.stage("customers", batch("2", true)),
  },
  {
    what: "a match index would lack a page of the service's list, and its records would be created again",
    before: (store) => store.beginMatches("customer"),
    lost: (store) => store.saveMatches("customer", [{ serviceId: 1, keys: { number: "1" } }]),
    next: (store) => store.endMatches("customer", { whole: true, readAt: 1 }),
  },
  {
    what: "a sweep would take rows that it has seen for deleted ones",
    before: (store) => store.beginSweep("customers"),
    lost: (store) => store.markSeen("customers", SWEEP, ["1"]),
    next: (store) => store.endSweep("customers", SWEEP),
  },
  {
    what: "a new leader would wait for a begin that it has behind it",
    lost: (store) => store.cluster.lead(),
    next: (store) => store.saveNote(restoredNote, undefined),
  },
];

describe("a failover that lost commits and no create", () => {
  it.each(continued)("ends the daemon that builds on them: $what", async ({ before, lost, next }) => {
    await using server = await startPostgres();
    {
      await using store = await join(server);
      await before?.(store);
      await server.copy();
      await lost(store);
      await server.failOver();
      expect(await thrownBy(next(store))).toMatchObject(REWOUND);
      await untilRefused(store, REWOUND);
    }
    await using again = await join(server);
    // What was lost is lost together with the place where it would be read again.
    expect(await again.stream("customers")).toMatchObject({ cursor: null });
    expect(await again.note(restoredNote)).toBeUndefined();
  });

  it("ends a daemon that took the lead in them", async () => {
    await using server = await startPostgres();
    await using first = await join(server);
    await first.cluster.lead();
    await using second = await join(server);
    await heartbeat(second);
    await server.copy();
    await first[Symbol.asyncDispose]();
    await expect.poll(() => second.cluster.state.isLeader, { timeout: 120_000 }).toBe(true);
    await server.failOver();
    await untilRefused(second, REWOUND);
  });

  it("puts an update in doubt whose end is lost: what the ERP changed back meanwhile is written", async () => {
    await using server = await startPostgres();
    {
      await using store = await join(server);
      await store.cluster.lead();
      for (const [at, key] of ["1", "2"].entries()) await bind(store, key, at + 1);
      const update = async (key: string) => {
        const changes = [upsert(key, { name: "New" })];
        await store.stage("customers", { changes, cursor: key, backfill: false, complete: true });
        const claim = (await store.claim(customer(key)))!;
        await store.markInFlight(claim, { kind: "update", fields: { name: "New" } });
        await store.end(claim, { kind: "apply", applied: written({ name: "New" }) });
      };
      await update("1");
      await server.copy();
      await update("2");
      await server.failOver();
      await untilRefused(store, REWOUND);
    }
    await using next = await join(server);
    const kept = await next.record(customer("1"));
    expect([kept?.state, kept?.inFlight]).toEqual(["applied", undefined]);
    expect(await next.record(customer("2"))).toMatchObject({
      state: "due",
      applied: { name: "Old" },
      inFlight: { kind: "update", fields: { name: "New" } },
    });
  });
});
