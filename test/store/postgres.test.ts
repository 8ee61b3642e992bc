import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SyncError, type Json } from "#model";
import type { OpenStoreOptions, Store } from "#store";
import { version } from "#telemetry";
import { Schema } from "../../src/store/postgres/connection/schema.ts";
import { openPostgresStore } from "../../src/store/postgres/index.ts";
import { Scene, contact, customer, upsert, written, OOPS } from "../conformance/store-scene.ts";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { never, thrownBy } from "../kit/outcome.ts";
import { freePort } from "../setup/free-port.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { cuttingProxy, type Cut } from "./cutting-proxy.ts";
import { ask, postgresPlace } from "./postgres-place.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres({ hba: ["host all guest 127.0.0.1/32 scram-sha-256"] });
});
afterAll(() => server[Symbol.asyncDispose]());

const makePlace = () => postgresPlace(server.url);

function open(url: string, schema: string, as: OpenStoreOptions["as"] = "daemon"): Promise<Store> {
  return openPostgresStore({ url, schema }, { as, clock: new SetClock(), logger: silentLogger });
}

function urlOf(change: (url: URL) => void): string {
  const url = new URL(server.url);
  change(url);
  return url.href;
}

it("makes its tables once where daemons begin at one moment", async () => {
  await using place = await makePlace();
  const schemas = Array.from({ length: 8 }, () => new Schema(place.location));
  const begun = await Promise.allSettled(schemas.map((schema) => schema.isCurrent()));
  await Promise.all(schemas.map((schema) => schema[Symbol.asyncDispose]()));
  expect(begun).toEqual(schemas.map(() => ({ status: "fulfilled", value: false })));
  expect(await ask(server.url, `SELECT version FROM "${place.schema}".store_version`)).toEqual([{ version: 0 }]);
});

describe("texts and keys in PostgreSQL", () => {
  // By code point: half a pair comes before the private characters, and those before what needs a pair.
  const keys = [
    "",
    "\0",
    "\0a",
    "\u0001",
    "a",
    "a\0",
    "a\0b",
    "ab",
    "\uD7FF",
    "\uD800",
    "\uDFFFx",
    "\uE000",
    "\u{1F600}",
  ];

  it("come back as they were, and in the order of their code points", async () => {
    await using scene = await Scene.open(makePlace);
    await scene.stage(keys.toReversed().map((key) => upsert(key, { text: key })));
    const found = await scene.store.records({ stream: "customers", limit: 100 });
    expect(found.map(({ id }) => id.key)).toEqual(keys);
    expect(found.map(({ row }) => row["text"])).toEqual(keys);
    for (const [at, key] of keys.entries()) {
      const [next] = await scene.store.records({ limit: 1, after: customer(key) });
      expect(next?.id.key).toBe(keys[at + 1]);
      expect((await scene.claim(customer(key))).row).toEqual({ text: key });
    }
    expect(await scene.stage(keys.map((key) => upsert(key, { text: key })))).toEqual({
      changed: 0,
      unchanged: keys.length,
    });
  });

  it("may be ten thousand characters long and differ in the last one", async () => {
    await using scene = await Scene.open(makePlace);
    // Random, since PostgreSQL would compress what repeats itself.
    const long = Array.from({ length: 10_000 }, () =>
      String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 0x5000)),
    ).join("");
    const [one, other] = [customer(`${long}a`), customer(`${long}b`)];
    await scene.stage([upsert(other.key), upsert(one.key)]);
    await scene.store.end(await scene.claimed(contact("1")), { kind: "wait", error: OOPS, parents: [other] });
    await scene.bound(one, 11, [one]);
    expect(await scene.state(contact("1"))).toBe("waiting");
    await scene.bound(other, 12);
    expect(await scene.state(contact("1"))).toBe("due");
    const found = await scene.store.records({ stream: "customers", limit: 9 });
    expect(found.map(({ id }) => id)).toEqual([one, other]);
    expect(await scene.store.bindings([other])).toEqual(
      new Map([[`customers\0${other.key}`, { resource: "customers", serviceId: 12 }]]),
    );
  });

  it("are refused with the record parked where they are no numbers that were to be", async () => {
    await using scene = await Scene.open(makePlace);
    const claim = await scene.claimed(customer("1"));
    const [retried, parked] = [
      scene.store.end(claim, { kind: "retry", error: OOPS, dueAt: Number.NaN }),
      scene.claimed(customer("2")),
    ];
    await expect(retried).rejects.toMatchObject({ family: "park", code: "E_STORE_VALUE" });
    await scene.store.end(await parked, { kind: "park", error: OOPS });
    await scene.store.end(claim, { kind: "park", error: OOPS });
  });
});

describe("a step in PostgreSQL", () => {
  it("finds each record by its key alone, also before the server has statistics", async () => {
    await using place = await makePlace();
    const scene = await Scene.open(async () => place);
    const changes = Array.from({ length: 1_000 }, (_, at) => upsert(`${at}`));
    for (const from of [0, 200, 400, 600, 800]) await scene.stage(changes.slice(from, from + 200));
    expect(await scene.stage(changes)).toEqual({ changed: 0, unchanged: 1_000 });
    const ids = changes.map(({ key }) => customer(key));
    for (const id of ids.slice(0, 100)) await scene.store.end(await scene.claim(id), { kind: "release" });
    expect(await scene.store.bindings(ids)).toEqual(new Map());
    for (const { key } of changes.slice(-10)) expect(await scene.store.unseenKeys("customers", [key])).toEqual([]);
    // A session tells what it read when it ends.
    await scene.store[Symbol.asyncDispose]();
    const [read] = await ask<{ rows: string }>(
      server.url,
      `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = '${place.schema}' AND relname = 'records')
         + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE schemaname = '${place.schema}' AND relname = 'records') AS rows`,
    );
    expect(Number(read?.rows)).toBeGreaterThan(1_000);
    expect(Number(read?.rows)).toBeLessThan(10_000);
  });
});

describe("the place of a daemon in PostgreSQL", () => {
  it("names its daemon to a second one", async () => {
    await using scene = await Scene.open(makePlace);
    await expect(scene.another("daemon")).rejects.toThrow(`in use by process ${process.pid} on `);
  });

  it("passes to the next daemon when it runs out, and claims are given back", async () => {
    await using place = await makePlace();
    {
      await using scene = await Scene.open(async () => ({ ...place, [Symbol.asyncDispose]: async () => {} }));
      await scene.claimed(customer("1"));
    }
    await ask(
      server.url,
      `UPDATE "${place.schema}".leases SET holder = 'dead', name = 'process 1', expires_at = clock_timestamp() + interval '1 s'`,
    );
    await using next = await open(server.url, place.schema);
    expect((await next.record(customer("1")))?.state).toBe("due");
  });

  it("that another daemon has makes every step fail: nothing is written any more", async () => {
    await using place = await makePlace();
    const scene = await Scene.open(async () => place);
    const claim = await scene.claimed(customer("1"));
    await ask(
      server.url,
      `DELETE FROM "${place.schema}".members; UPDATE "${place.schema}".leases SET holder = 'another'`,
    );
    const lost = { family: "stop", code: "E_STORE_LOST" };
    await expect(scene.store.begin(claim, { resource: "customer", projection: {} })).rejects.toMatchObject(lost);
    // The next renewal notices, and then reads are refused too: the daemon ends.
    await expect.poll(() => thrownBy(scene.store.counts()), { interval: 50 }).toMatchObject(lost);
    await using operator = await open(server.url, place.schema, "operator");
    expect((await operator.record(customer("1")))?.intent).toBeUndefined();
    await scene.store[Symbol.asyncDispose]();
    expect(await ask(server.url, `SELECT holder FROM "${place.schema}".leases`)).toEqual([{ holder: "another" }]);
  });
});

describe("two processes on one store in PostgreSQL", () => {
  it("never miss each other: a child that begins to wait while its parent is bound is due", async () => {
    await using scene = await Scene.open(makePlace);
    await using other = await scene.another("operator");
    for (let round = 1; round <= 25; round++) {
      const [parent, child] = [customer(`${round}`), contact(`${round}`)];
      const [parentClaim, childClaim] = [await scene.claimed(parent), await scene.claimed(child)];
      await Promise.all([
        scene.create(parentClaim, round),
        other.end(childClaim, { kind: "wait", error: OOPS, parents: [{ ...parent }] }),
      ]);
      expect(await scene.state(child)).toBe("due");
    }
  });

  it("bind one id of the service once", async () => {
    await using scene = await Scene.open(makePlace);
    await using other = await scene.another("operator");
    const binding = { resource: "customer", serviceId: 7 };
    const [one, two] = [await scene.claimed(customer("1")), await scene.claimed(customer("2"))];
    const ends = await Promise.allSettled([
      scene.store.end(one, { kind: "bind", binding, applied: written({}) }),
      other.end(two, { kind: "bind", binding, applied: written({}) }),
    ]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(ends.find((end) => end.status === "rejected")?.reason).toMatchObject({ code: "E_ALREADY_BOUND" });
  });

  it("in two schemas know nothing of each other", async () => {
    await using one = await Scene.open(makePlace);
    await using two = await Scene.open(makePlace);
    await one.stage([upsert("1")]);
    expect(await two.store.record(customer("1"))).toBeUndefined();
  });
});

describe("a connection to PostgreSQL that is cut", () => {
  it.each<[Cut, boolean]>([
    ["before", false],
    ["during", false],
    ["after", true],
  ])("%s the server carries the step out fails the step, and leaves no transaction open", async (cut, isDone) => {
    await using place = await makePlace();
    await using proxy = await cuttingProxy(server.port);
    const url = urlOf((through) => (through.port = String(proxy.port)));
    await using store = await open(url, place.schema);
    await store.stage("customers", { changes: [upsert("1")], cursor: 1, backfill: false, complete: true });
    const claim = (await store.claim(customer("1")))!;
    proxy.cut(cut, "open_intent");
    const begun = store.begin(claim, { resource: "customer", projection: { name: "A" } });
    await expect(begun).rejects.toMatchObject({ family: "retry", code: "E_STORE_UNREACHABLE" });
    expect((await store.record(customer("1")))?.intent !== undefined).toBe(isDone);
    const leftOpen = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'svcsync' AND state LIKE 'idle in%'";
    expect(await ask(server.url, leftOpen)).toEqual([]);
    await store.end(claim, { kind: "release" });
  });

  it.each<Cut>(["before", "during", "after"])(
    "%s the server reads the facts of a step repeats the step, which is carried out once",
    async (cut) => {
      await using place = await makePlace();
      await using proxy = await cuttingProxy(server.port);
      const url = urlOf((through) => (through.port = String(proxy.port)));
      await using store = await open(url, place.schema);
      await store.stage("customers", { changes: [upsert("1")], cursor: 1, backfill: false, complete: true });
      const claim = (await store.claim(customer("1")))!;
      proxy.cut(cut, "find_held");
      expect(await store.begin(claim, { resource: "customer", projection: { name: "A" } })).toBe(1);
      expect((await store.record(customer("1")))?.intent).toBeDefined();
    },
  );
});

describe("a PostgreSQL that cannot keep the store", () => {
  const cases: Record<string, { url: () => Promise<string>; expected: Record<string, Json> }> = {
    "does not answer": {
      url: async () => `postgres://svcsync@127.0.0.1:${await freePort()}/postgres`,
      expected: { family: "retry", code: "E_STORE_UNREACHABLE" },
    },
    "does not know the password": {
      url: async () => {
        await ask(server.url, "CREATE ROLE guest LOGIN PASSWORD 'right'");
        return urlOf((url) => Object.assign(url, { username: "guest", password: "wrong-secret" }));
      },
      expected: { family: "stop", code: "E_STORE_DENIED" },
    },
    "has no such database": {
      url: async () => urlOf((url) => (url.pathname = "/nowhere")),
      expected: { family: "stop", code: "E_STORE_DENIED" },
    },
    "does not encrypt": {
      url: async () => urlOf((url) => url.searchParams.set("sslmode", "verify-full")),
      expected: { family: "stop", code: "E_STORE_DENIED" },
    },
    "only reads": {
      url: async () => urlOf((url) => url.searchParams.set("options", "-c default_transaction_read_only=on")),
      expected: { family: "retry", code: "E_STORE_READONLY" },
    },
    "gives its user no right": {
      url: async () => {
        await ask(server.url, "CREATE ROLE visitor LOGIN");
        return urlOf((url) => (url.username = "visitor"));
      },
      expected: { family: "stop", code: "E_STORE_READONLY" },
    },
    "has a database that is not in UTF8": {
      url: async () => {
        await ask(server.url, "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0");
        return urlOf((url) => (url.pathname = "/ascii"));
      },
      expected: { family: "stop", code: "E_STORE_SERVER" },
    },
  };

  it.each(Object.entries(cases))(
    "since it %s says so in one error, without the password",
    async (_, { url, expected }) => {
      const thrown = await thrownBy(open(await url(), "refused"));
      expect(thrown).toMatchObject(expected);
      expect(String(thrown)).not.toContain("wrong-secret");
      expect(await ask(server.url, "SELECT 1 FROM pg_namespace WHERE nspname = 'refused'")).toEqual([]);
    },
  );

  it("was written by a newer program and is not touched", async () => {
    await using place = await makePlace();
    await using scene = await Scene.open(async () => place);
    await scene.stage([upsert("1")]);
    const [made] = await ask(server.url, `SELECT program FROM "${place.schema}".store_version`);
    expect(made).toEqual({ program: version });
    await ask(server.url, `UPDATE "${place.schema}".store_version SET version = 99, program = '7.8.9'`);
    const message = expect.stringContaining(`this is svcsync ${version}; run 7.8.9 or newer`);
    for (const as of ["daemon", "operator"] as const)
      await expect(open(server.url, place.schema, as)).rejects.toMatchObject({
        family: "stop",
        code: "E_STORE_NEWER",
        message,
        details: { needed: "7.8.9" },
      });
  });

  it.each([
    { what: "tables", waits: "to join", before: "", change: "version = 99", code: "E_STORE_NEWER", isOurs: true },
    { what: "steps", waits: "to join", before: "", change: "functions = 'other'", code: undefined, isOurs: true },
    {
      what: "tables",
      waits: "to change the steps",
      before: "functions = 'other'",
      change: "version = 99",
      code: "E_STORE_NEWER",
      isOurs: false,
    },
  ])("got the $what of another program while this one waited $waits, which is noticed", async (given) => {
    await using place = await makePlace();
    const scene = await Scene.open(async () => ({ ...place, [Symbol.asyncDispose]: async () => {} }));
    const sql = (statement: string) => ask(server.url, statement.replaceAll("@", `"${place.schema}".`));
    if (given.before !== "") await sql(`UPDATE @store_version SET ${given.before}`);
    const waits = Promise.withResolvers<void>();
    const waiting = { [Symbol.asyncDispose]: async () => {} };
    const standby = { signal: never, waits: async () => (waits.resolve(), waiting) };
    const options = { as: "daemon", clock: new SetClock(), logger: silentLogger, standby } as const;
    const opened = openPostgresStore({ url: server.url, schema: place.schema }, options).then(
      (store) => store[Symbol.asyncDispose](),
      (thrown: unknown) => thrown,
    );
    await waits.promise;
    await sql(`UPDATE @store_version SET ${given.change}`);
    await scene.store[Symbol.asyncDispose]();
    const ended = await opened;
    expect(ended instanceof SyncError ? ended.code : ended).toBe(given.code);
    expect(await sql("SELECT functions <> 'other' AS is_ours FROM @store_version")).toEqual([
      { is_ours: given.isOurs },
    ]);
    expect(await sql("SELECT 1 FROM @members")).toEqual([]);
  });

  it("has the steps of another program, which a command never changes under its daemon", async () => {
    await using place = await makePlace();
    await using scene = await Scene.open(async () => place);
    await ask(server.url, `UPDATE "${place.schema}".store_version SET functions = 'other'`);
    await expect(open(server.url, place.schema, "operator")).rejects.toMatchObject({
      code: "E_STORE_BUSY",
      message: expect.stringContaining("another version of svcsync, and can be changed once that daemon has stopped"),
    });
    await scene.store[Symbol.asyncDispose]();
    await using operator = await open(server.url, place.schema, "operator");
    expect(await operator.counts()).toEqual(new Map());
  });

  it("is not copied by svcsync", async () => {
    await using scene = await Scene.open(makePlace);
    await expect(scene.store.backup("copy.db")).rejects.toMatchObject({ family: "stop", code: "E_STORE_COPY" });
  });
});
