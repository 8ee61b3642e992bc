import { isDeepStrictEqual } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { sessionNoteName, type ClusterReport, type ClusterState, type Store } from "#store";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { contact, customer, OOPS, upsert, written } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { FaultyLink } from "../kit/faulty-link.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { ask, postgresPlace, type PostgresPlace } from "./postgres-place.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

const REPORT: ClusterReport = { held: 0, isServed: true, ceiling: 10, pausedMs: 0, rate: undefined };

interface Joining {
  readonly mapping?: string;
  readonly queue?: string;
  readonly clock?: { now(): number };
  /** Of a link to the server. */
  readonly port?: number;
}

/** Replicas of one store, in the order in which they joined. */
class Replicas implements AsyncDisposable {
  readonly place: PostgresPlace;
  readonly #stores: Store[] = [];
  readonly #sessions: Client[] = [];

  private constructor(place: PostgresPlace) {
    this.place = place;
  }

  static async open(): Promise<Replicas> {
    return new Replicas(await postgresPlace(server.url));
  }

  async join({
    mapping = "A",
    queue = "queue",
    clock = { now: () => Date.now() },
    port = server.port,
  }: Joining = {}): Promise<Store> {
    const joins = { version: "1.2.3", queue, mapping };
    const url = new URL(this.place.location.url);
    url.port = String(port);
    const location = { ...this.place.location, url: url.href };
    const store = await openPostgresStore(location, { as: "daemon", joins, clock, logger: silentLogger });
    store.cluster.follow(
      () => REPORT,
      () => undefined,
    );
    this.#stores.push(store);
    return store;
  }

  /** A connection past the stores. It ends with the replicas. */
  async session(name: string): Promise<Client> {
    const options = `-c search_path="${this.place.schema.replace(" ", "\\ ")}"`;
    const client = new Client({ connectionString: server.url, application_name: name, options });
    await client.connect();
    this.#sessions.push(client);
    return client;
  }

  sql<Row extends object>(statement: string): Promise<Row[]> {
    return ask(server.url, statement.replaceAll(/\b(members|leases|records|reserved)\b/g, `"${this.place.schema}".$1`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions) await session.end();
    for (const store of this.#stores) await store[Symbol.asyncDispose]();
    await this.place[Symbol.asyncDispose]();
  }
}

/** Two that map alike, of which the first leads; the second is behind a link. */
async function two(): Promise<{ all: Replicas; first: Store; second: Store; link: FaultyLink } & AsyncDisposable> {
  const all = await Replicas.open();
  const first = await all.join();
  await first.cluster.lead();
  const link = await FaultyLink.to(server.port);
  const second = await all.join({ port: link.port });
  const end = async () => {
    link.heal();
    await all[Symbol.asyncDispose]();
    await link[Symbol.asyncDispose]();
  };
  return { all, first, second, link, [Symbol.asyncDispose]: end };
}

async function stage(store: Store, ...keys: string[]): Promise<void> {
  const changes = keys.map((key) => upsert(key));
  await store.stage("customers", { changes, cursor: 1, backfill: false, complete: true });
}

/** One that reports `rates` of it as what it has learned, and takes what it is granted. */
async function joinLimited(all: Replicas, rates: Map<Store, number>): Promise<Store> {
  const store = await all.join();
  let granted: number | undefined;
  store.cluster.follow(
    () => ({ ...REPORT, rate: rates.get(store) }),
    ({ rate }) => {
      if (rate !== undefined && rate !== granted) rates.set(store, (granted = rate));
    },
  );
  return store;
}

function until(store: Store, wanted: Partial<ClusterState>): Promise<unknown> {
  return expect.poll(() => store.cluster.state, { interval: 50 }).toMatchObject(wanted);
}

/** Resolves when a heartbeat tells what is wanted. Unlike {@link until} it moves no timer. */
function told(store: Store, wanted: Partial<ClusterState>): Promise<void> {
  return new Promise((resolve) => {
    store.cluster.follow(
      () => REPORT,
      (state) => {
        if (isDeepStrictEqual({ ...state, ...wanted }, state)) resolve();
      },
    );
  });
}

/** Resolves after two heartbeats: what the first one began, the second one tells. */
function heartbeats(store: Store): Promise<void> {
  let beats = 0;
  return new Promise((resolve) => {
    store.cluster.follow(
      () => REPORT,
      () => void (beats++ === 2 && resolve()),
    );
  });
}

const session = { name: sessionNoteName, schema: z.json() };
const LOST = { family: "stop", code: "E_STORE_LOST" };

describe("replicas of a store in PostgreSQL", () => {
  it("are led by one, and each may claim what another has not claimed", async () => {
    await using scene = await two();
    const { first, second } = scene;
    expect([first.cluster.state.isLeader, second.cluster.state.isLeader]).toEqual([true, false]);
    await stage(first, "1");
    const claims = await Promise.all([first.claim(customer("1")), second.claim(customer("1"))]);
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    expect(await second.cluster.members()).toMatchObject([
      { isLeader: true, version: "1.2.3", isAgreed: true, isServed: true },
      { isLeader: false, isAgreed: true },
    ]);
  });

  it("have another leader at once when the leader leaves", async () => {
    await using scene = await two();
    const { first, second } = scene;
    await first[Symbol.asyncDispose]();
    await until(second, { isLeader: true, others: 0 });
    expect(await second.cluster.members()).toMatchObject([{ isLeader: true }]);
  });

  it("have another leader as soon as the leader's work has ended, and keep their claims", async () => {
    await using scene = await two();
    const { first, second } = scene;
    await stage(first, "1", "2", "3");
    const claim = (await first.claim(customer("1")))!;
    const ended = Promise.withResolvers<boolean>();
    const resigned = first.cluster.resign(ended.promise);
    expect(first.cluster.state.isLeader).toBe(false);
    await Promise.all([heartbeats(first), heartbeats(second)]);
    expect(first.cluster.state.isLeader).toBe(false);
    expect(await second.cluster.members()).toMatchObject([{ isLeader: true }, { isLeader: false }]);
    ended.resolve(true);
    await resigned;
    expect(await second.claim(customer("2"))).toBeDefined();
    await until(second, { isLeader: true, isAgreed: true, others: 1 });
    expect(await second.claim(customer("3"))).toBeDefined();
    await first.end(claim, { kind: "release" });
    expect(first.cluster.state.isLeader).toBe(false);
  });

  it("keep the leader that has resigned until it ends, where what only a leader does has not ended in time", async () => {
    await using scene = await two();
    const { first, second } = scene;
    await first.cluster.resign(Promise.resolve(false));
    await heartbeats(second);
    expect(second.cluster.state.isLeader).toBe(false);
    await first[Symbol.asyncDispose]();
    await until(second, { isLeader: true });
  });

  it("wait with another mapping until the last one with the leader's has ended", async () => {
    await using all = await Replicas.open();
    const first = await all.join({ mapping: "A" });
    await first.cluster.lead();
    const second = await all.join({ mapping: "B" });
    await stage(first, "1", "2");
    const claim = (await first.claim(customer("1")))!;
    await first.cluster.resign(Promise.resolve(true));
    await Promise.all([heartbeats(first), heartbeats(second)]);
    expect((await second.cluster.members()).map(({ isLeader }) => isLeader)).toEqual([false, false]);
    expect(await second.claim(customer("2"))).toBeUndefined();
    await first.end(claim, { kind: "release" });
    await first[Symbol.asyncDispose]();
    await until(second, { isLeader: true, isAgreed: false });
  });

  it("hear of a leader that begins, of their shares and of a leader that leaves without waiting for a heartbeat", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await using all = await Replicas.open();
    const first = await all.join();
    const second = await all.join();
    const agreed = [first, second].map((store) => told(store, { isAgreed: true, share: 5 }));
    await first.cluster.lead();
    await Promise.all(agreed);
    const leads = told(second, { isLeader: true, share: 10 });
    await first[Symbol.asyncDispose]();
    await leads;
    expect(second.cluster.state).toMatchObject({ isLeader: true, isAgreed: true });
  });

  it("give back the claims of one that is lost, and refuse it everything, reads too", async () => {
    await using scene = await two();
    const { first, second, link } = scene;
    await stage(first, "1", "2");
    const [lost, kept] = [(await second.claim(customer("1")))!, (await first.claim(customer("2")))!];
    await second.begin(lost, { resource: "customer", projection: {} });
    link.hold("toServer", "toClient");
    await expect.poll(() => second.cluster.mayWrite()).toBe(false);
    expect((await first.record(customer("1")))?.state).toBe("claimed");
    await expect.poll(async () => (await first.cluster.members()).length).toBe(1);
    link.heal();
    expect((await first.record(customer("1")))?.state).toBe("due");
    expect((await first.record(customer("1")))?.intent).toBeDefined();
    await expect(
      second.end(lost, { kind: "bind", binding: { resource: "customer", serviceId: 1 }, applied: written({}) }),
    ).rejects.toMatchObject(LOST);
    await expect.poll(() => second.counts().catch((thrown: unknown) => thrown)).toMatchObject(LOST);
    expect(await second.cluster.failure).toMatchObject(LOST);
    await first.end(kept, { kind: "release" });
  });

  it("end the session before what another one's claim was for is delivered again, though that one lives", async () => {
    await using scene = await two();
    const { all, first, second } = scene;
    await stage(first, "1", "2");
    const [begun, idle] = [(await second.claim(customer("1")))!, (await second.claim(customer("2")))!];
    await second.begin(begun, { resource: "customer", projection: {} });
    await first.saveNote(session, { token: "x" });
    const runOut = (key: string) => all.sql(`UPDATE records SET due_at = 0 WHERE key = '${key}'`);

    await runOut("2");
    expect(await first.claim(customer("2"))).toBeUndefined();
    expect(await first.note(session)).toEqual({ token: "x" });
    expect(await first.claim(customer("2"))).toBeDefined();
    await expect(second.end(idle, { kind: "release" })).rejects.toMatchObject({ code: "E_CLAIM_LOST" });

    await runOut("1");
    expect(await first.claim(customer("1"))).toBeUndefined();
    expect(await first.note(session)).toEqual({ token: "x", revoked: true });
    expect(await first.claim(customer("1"))).toBeUndefined();
    await first.saveNote(session, { token: "y" });
    expect(await first.claim(customer("1"))).toMatchObject({ intent: { resource: "customer" } });
  });

  it("give back the claims of a leader that is lost, and another one leads", async () => {
    await using scene = await two();
    const { all, first, second } = scene;
    await stage(first, "1");
    const claim = (await first.claim(customer("1")))!;
    await all.sql(
      "WITH gone AS (DELETE FROM leases RETURNING holder) DELETE FROM members USING gone WHERE token = holder",
    );
    await expect(first.end(claim, { kind: "release" })).rejects.toMatchObject(LOST);
    await until(second, { isLeader: true, others: 0 });
    expect((await second.record(customer("1")))?.state).toBe("due");
  });

  it("deliver by the leader's mapping alone, and by none before it has begun", async () => {
    await using all = await Replicas.open();
    const first = await all.join({ mapping: "A" });
    const second = await all.join({ mapping: "A" });
    const third = await all.join({ mapping: "B" });
    await stage(first, "1", "2");
    expect(await Promise.all([first, second, third].map((store) => store.claim(customer("1"))))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await first.cluster.lead();
    expect(await third.claim(customer("1"))).toBeUndefined();
    const claim = await second.claim(customer("1"));
    expect(claim).toBeDefined();
    await until(third, { isAgreed: false, share: 1 });
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    await until(third, { isLeader: true });
    expect(await third.claim(customer("2"))).toBeUndefined();
    await third.cluster.lead();
    expect(await third.claim(customer("2"))).toBeDefined();
  });

  it("share what the service bears, and never have more of it together", async () => {
    await using all = await Replicas.open();
    const first = await all.join();
    await first.cluster.lead();
    let held = 10;
    first.cluster.follow(
      () => ({ ...REPORT, held }),
      () => undefined,
    );
    await until(first, { share: 10 });
    const second = await all.join();
    // What the first one has under way is not the second one's yet.
    await until(first, { share: 5, others: 1 });
    expect(second.cluster.state.share).toBe(0);
    held = 7;
    await until(second, { share: 3 });
    held = 5;
    await until(second, { share: 5 });
    const third = await all.join();
    await until(first, { share: 4 });
    held = 4;
    await until(third, { share: 3 });
    second.cluster.follow(
      () => ({ ...REPORT, isServed: false }),
      () => undefined,
    );
    // Enough to find out when the service answers it again.
    await until(second, { share: 1 });
    await until(first, { share: 5 });
    await until(third, { share: 4 });
    const sum = await all.sql("SELECT sum(greatest(share, held))::integer AS sum FROM members");
    expect(sum).toEqual([{ sum: 10 }]);
  });

  it("leave one that gets less what it last heard that it may send, until it has heard and ended that", async () => {
    await using scene = await two();
    const { all, first, second, link } = scene;
    await until(second, { share: 5 });
    await heartbeats(second);
    link.hold("toServer", "toClient");
    const third = await all.join();
    await until(third, { isAgreed: true, others: 2 });
    await until(first, { share: 4 });
    await heartbeats(first);
    await heartbeats(third);
    expect([second.cluster.state.share, third.cluster.state.share]).toEqual([5, 1]);
    link.heal();
    await until(second, { share: 3 });
    await until(third, { share: 3 });
  });

  it("stay away as long as the service asked one of them to, and hear of it without waiting for a heartbeat", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await using all = await Replicas.open();
    const first = await all.join();
    const second = await all.join();
    const heard = Promise.withResolvers<ClusterState>();
    first.cluster.follow(
      () => REPORT,
      (state) => {
        if (state.pausedMs > 0) heard.resolve(state);
      },
    );
    second.cluster.follow(
      () => ({ ...REPORT, pausedMs: 3_600_000 }),
      () => undefined,
    );
    second.cluster.reportNow();
    expect((await heard.promise).pausedMs).toBeLessThanOrEqual(3_600_000);
    const later = await all.join();
    expect(later.cluster.state.pausedMs).toBeGreaterThan(3_000_000);
  });

  it("tell of refusals at the same moment without a deadlock", async () => {
    await using scene = await two();
    const { all, second } = scene;
    await until(second, { share: 5 });
    const [leader, other] = await all.sql<{ token: string }>("SELECT token FROM members ORDER BY epoch");
    const holder = await all.session("holder");
    await holder.query("BEGIN; SELECT FROM service_limits FOR UPDATE");
    // The leader's also gives the other one a smaller share.
    const beats = [];
    for (const { token } of [leader!, other!]) {
      const session = await all.session(token);
      beats.push(session.query("SELECT FROM beat($1, 0, 1, 4, 60000, NULL, NULL, NULL, NULL)", [token]));
      const waits = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${token}' AND wait_event_type = 'Lock'`;
      await expect.poll(() => all.sql(waits)).toHaveLength(1);
    }
    await holder.query("COMMIT");
    expect((await Promise.all(beats)).map(({ rowCount }) => rowCount)).toEqual([1, 1]);
  });

  it("send together at the rate that all have learned, each its part, whoever leaves", async () => {
    await using all = await Replicas.open();
    const rates = new Map<Store, number>();
    const first = await joinLimited(all, rates);
    await first.cluster.lead();
    const second = await joinLimited(all, rates);
    await until(second, { share: 5 });
    rates.set(first, 300);
    rates.set(second, 111);
    await until(first, { rate: 206 });
    await until(second, { rate: 205 });
    const third = await joinLimited(all, rates);
    await until(third, { share: 3, rate: 123 });
    // It finds out that the service bears less.
    rates.set(third, 22);
    await until(third, { rate: 93 });
    await until(first, { rate: 124 });
    await second[Symbol.asyncDispose]();
    await until(first, { rate: 155 });
    await until(third, { rate: 155 });
    await first[Symbol.asyncDispose]();
    await until(third, { isLeader: true, rate: 310 });
    expect(rates.get(third)).toBe(310);
  });

  it("are needed one for each 50 requests a second that the service lets pass, the leader first", async () => {
    await using all = await Replicas.open();
    const rates = new Map<Store, number>();
    const first = await joinLimited(all, rates);
    await first.cluster.lead();
    const second = await joinLimited(all, rates);
    const third = await joinLimited(all, rates);
    await until(third, { share: 3, isNeeded: true, rate: undefined });
    rates.set(second, 20);
    // What they have left is for what a person asks them.
    await until(first, { isNeeded: true, share: 8, rate: 20 });
    for (const spare of [second, third]) await until(spare, { isNeeded: false, share: 1, rate: 1 });
    expect((await first.cluster.members()).map(({ isNeeded }) => isNeeded)).toEqual([true, false, false]);
    rates.set(first, 51);
    await until(first, { share: 5, rate: 29 });
    await until(second, { isNeeded: true, share: 4, rate: 22 });
    expect(third.cluster.state).toMatchObject({ isNeeded: false, share: 1 });
    await first[Symbol.asyncDispose]();
    await until(third, { isNeeded: true, share: 5 });
    await second[Symbol.asyncDispose]();
    await until(third, { isLeader: true, isNeeded: true, share: 10 });
  });

  it("share with the leader first, where there are more replicas than requests at once", async () => {
    await using all = await Replicas.open();
    const first = await all.join();
    await first.cluster.lead();
    first.cluster.follow(
      () => ({ ...REPORT, ceiling: 1, held: 1 }),
      () => undefined,
    );
    const second = await all.join();
    await until(first, { share: 1, others: 1 });
    expect(second.cluster.state.share).toBe(0);
  });

  it("let one at a time do what may be done alone", async () => {
    await using scene = await two();
    const { all, first, second, link } = scene;
    const { signal } = new AbortController();
    const order: string[] = [];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const one = first.cluster.alone("match/customer", signal, async () => {
      order.push("first begins");
      await ended;
      order.push("first ends");
    });
    await expect.poll(() => order.length).toBe(1);
    const other = second.cluster.alone("match/customer", signal, async () => void order.push("second"));
    await second.cluster.alone("match/contact", signal, async () => void order.push("another"));
    end();
    await Promise.all([one, other]);
    expect(order).toEqual(["first begins", "another", "first ends", "second"]);
    // What a lost one was doing is another one's then.
    const stuck = second.cluster.alone("match/customer", signal, () => new Promise(() => undefined));
    stuck.catch(() => undefined);
    await expect.poll(() => all.sql("SELECT 1 FROM leases WHERE role LIKE 'alone/%'")).toHaveLength(1);
    link.hold("toServer", "toClient");
    await first.cluster.alone("match/customer", signal, async () => void order.push("after the lost one"));
    expect(order.at(-1)).toBe("after the lost one");
  });

  it("reserve a natural key for one create at a time, as long as it is open", async () => {
    await using scene = await two();
    const { first, second } = scene;
    await stage(first, "1", "2");
    const [one, other] = [(await first.claim(customer("1")))!, (await second.claim(customer("2")))!];
    expect(await first.cluster.reserve(one, ["email=a", "name=A"])).toBeUndefined();
    expect(await first.cluster.reserve(one, ["email=a", "name=A"])).toBeUndefined();
    expect(await second.cluster.reserve(other, ["email=a"])).toEqual(customer("1"));
    // Weaker names resemble, they do not identify.
    expect(await second.cluster.reserve(other, ["email=b", "name=A"])).toBeUndefined();
    await first.begin(one, { resource: "customer", projection: {} });
    await first.end(one, { kind: "retry", error: OOPS, dueAt: Date.now() + 60_000 });
    expect(await second.cluster.reserve(other, ["email=a"])).toEqual(customer("1"));
    await first.resolve(customer("1"), { kind: "bind", binding: { resource: "customer", serviceId: 1 } });
    expect(await second.cluster.reserve(other, ["email=a"])).toBeUndefined();
    await second.end(other, { kind: "release" });
    await first.end((await first.claim(customer("1")))!, { kind: "release" });
    expect(await scene.all.sql("SELECT * FROM reserved WHERE name = 'email=a'")).toEqual([]);
  });

  it("use the clock of the database, whatever their own say", async () => {
    await using all = await Replicas.open();
    const hour = 3_600_000;
    const ahead = await all.join({ clock: { now: () => Date.now() + hour } });
    const behind = await all.join({ clock: { now: () => Date.now() - hour } });
    await ahead.cluster.lead();
    expect(Math.abs(ahead.clock.now() - Date.now())).toBeLessThan(hour / 2);
    expect(Math.abs(behind.clock.now() - Date.now())).toBeLessThan(hour / 2);
    await stage(ahead, "1");
    // Both are right to a part of a second.
    await expect.poll(() => behind.due({ limit: 1, streams: ["customers"] })).toHaveLength(1);
    expect(await behind.claim(customer("1"))).toBeDefined();
  });

  it("and commands beside them use the clock of the database, too", async () => {
    await using scene = await two();
    const { all, first } = scene;
    await stage(first, "1");
    const claim = (await first.claim(customer("1")))!;
    await first.end(claim, { kind: "park", error: OOPS });
    const hour = 3_600_000;
    const ahead = { now: () => Date.now() + hour };
    await using command = await all.place.open({ as: "operator", clock: ahead, logger: silentLogger });
    expect(await command.retryNow({ states: ["parked"] })).toBe(1);
    expect(Math.abs(command.clock.now() - Date.now())).toBeLessThan(hour / 2);
    await expect.poll(() => first.due({ limit: 1, streams: ["customers"] })).toHaveLength(1);
  });

  it("refuse one with another queue, and one that works alone", async () => {
    await using scene = await two();
    await expect(scene.all.join({ queue: "another" })).rejects.toMatchObject({
      family: "stop",
      code: "E_REPLICA_QUEUE",
    });
    await expect(
      scene.all.place.open({ as: "daemon", clock: { now: () => Date.now() }, logger: silentLogger }),
    ).rejects.toMatchObject({
      code: "E_STORE_BUSY",
    });
  });

  it("are fenced by a person once they are silent, and not before", async () => {
    await using scene = await two();
    const { all, first } = scene;
    const by = { name: "Ada", via: "cli", why: "the machine burnt down" } as const;
    const [{ name } = { name: "" }] = await first.cluster.members();
    await expect(first.cluster.fence(name, by)).rejects.toMatchObject({ code: "E_REPLICA_ALIVE" });
    expect(await first.cluster.fence("nobody", by)).toBe(0);
    await all.sql(`
      INSERT INTO members (token, epoch, name, version, since, expires_at, queue, mapping)
      VALUES ('dead', 99, 'burnt', '1.2.3', now(), now() + interval '1 s', 'queue', 'A')`);
    expect(await first.cluster.fence("burnt", by)).toBe(1);
    expect(await first.audit({ limit: 1 })).toMatchObject([{ action: "fence", outcome: "burnt", by }]);
  });

  it("never miss each other: a child waits in one while its parent is bound by another", async () => {
    await using scene = await two();
    const { first, second } = scene;
    for (let round = 1; round <= 25; round++) {
      const [parent, child] = [customer(`${round}`), contact(`${round}`)];
      await stage(first, parent.key);
      await first.stage("contacts", { changes: [upsert(child.key)], cursor: round, backfill: false, complete: true });
      const [parentClaim, childClaim] = [(await first.claim(parent))!, (await second.claim(child))!];
      await Promise.all([
        first.end(parentClaim, {
          kind: "bind",
          binding: { resource: "customer", serviceId: round },
          applied: written({}),
        }),
        second.end(childClaim, { kind: "wait", error: OOPS, parents: [parent] }),
      ]);
      expect((await first.record(child))?.state).toBe("due");
    }
  });

  it("delete a parent after its last child, whoever deletes that", async () => {
    await using scene = await two();
    const { first, second } = scene;
    for (let round = 1; round <= 10; round++) {
      const [parent, child] = [customer(`${round}`), contact(`${round}`)];
      await stage(first, parent.key);
      await first.stage("contacts", { changes: [upsert(child.key)], cursor: round, backfill: false, complete: true });
      const bound = { resource: "customer", serviceId: round };
      await first.end((await first.claim(parent))!, { kind: "bind", binding: bound, applied: written({}) });
      const parents = [{ ...parent, serviceId: round }];
      await first.end((await first.claim(child))!, {
        kind: "bind",
        binding: { resource: "contact", serviceId: round },
        applied: written({}, parents),
      });
      const gone = {
        changes: [{ kind: "delete", key: parent.key } as const],
        cursor: 2,
        backfill: false,
        complete: true,
      };
      await first.stage("customers", gone);
      await first.stage("contacts", gone);
      const [parentClaim, childClaim] = [(await first.claim(parent))!, (await second.claim(child))!];
      await Promise.all([
        first.end(parentClaim, { kind: "wait", error: OOPS, dueAt: Date.now() + 3_600_000 }),
        second.end(childClaim, { kind: "remove", unbind: true }),
      ]);
      const view = await first.record(parent);
      const isSeen = (await first.children(parent, "bound")).length === 0;
      expect([isSeen, view?.state]).toEqual([true, "due"]);
    }
  });
});
