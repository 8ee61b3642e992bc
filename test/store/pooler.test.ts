import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { move } from "#store";
import { Link } from "../../src/store/postgres/connection/link.ts";
import { CHANNEL, unlocked } from "../../src/store/postgres/connection/prefix.ts";
import { Scene, contact, customer, upsert } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { startPgBouncer, type TestPooler } from "../setup/pgbouncer.ts";
import { startPostgres, type TestPostgres } from "../setup/postgres.ts";
import { ask, postgresPlace } from "./postgres-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server[Symbol.asyncDispose]());

describe.each(["session", "transaction"] as const)("a store behind PgBouncer that pools by %s", (mode) => {
  let pooler: TestPooler;
  beforeAll(async () => {
    pooler = await startPgBouncer(server.url, mode);
  });
  afterAll(() => pooler[Symbol.asyncDispose]());
  const makePlace = () => postgresPlace(pooler.url);

  it("takes the steps of a daemon and of commands beside it, each in its own schema", async () => {
    await using scene = await Scene.open(makePlace);
    await using other = await Scene.open(makePlace);
    await using command = await scene.another("operator");
    const ids = Array.from({ length: 30 }, (_, at) => customer(`${at}`));
    const load = async (each: Scene) => {
      await each.stage(ids.map(({ key }) => upsert(key)));
      await Promise.all(ids.map(async (id, at) => each.create(await each.claim(id), at + 1)));
    };
    await Promise.all([load(scene), load(other), command.counts(), command.bindings(ids)]);
    for (const each of [scene.store, other.store, command])
      expect((await each.counts()).get("customers")).toMatchObject({ applied: 30 });
    await expect(scene.another("daemon")).rejects.toMatchObject({ code: "E_STORE_BUSY" });
    await scene.reopen();
    expect((await scene.store.bindings(ids)).size).toBe(30);
  });

  it("never lets a parent that is bound and a child that begins to wait miss each other", async () => {
    await using scene = await Scene.open(makePlace);
    await using other = await scene.another("operator");
    for (let round = 1; round <= 10; round++) {
      const [parent, child] = [customer(`${round}`), contact(`${round}`)];
      const [parentClaim, childClaim] = [await scene.claimed(parent), await scene.claimed(child)];
      const error = { code: "E_PARENT_MISSING", message: "waits", details: {} } as const;
      await Promise.all([
        scene.create(parentClaim, round),
        other.end(childClaim, { kind: "wait", error, parents: [parent] }),
      ]);
      expect(await scene.state(child)).toBe("due");
    }
  });

  it("is moved there and back, and leaves nothing in a session", async () => {
    await using first = await sqlitePlace();
    await using second = await makePlace();
    await using third = await sqlitePlace();
    const options = { clock: systemClock, logger: silentLogger, report: () => undefined };
    {
      await using scene = await Scene.open(async () => ({ ...first, [Symbol.asyncDispose]: async () => {} }));
      await scene.bound(customer("1"), 11);
    }
    await move(first.location, second.location, options);
    await move(second.location, third.location, options);
    await using scene = await Scene.open(async () => third);
    expect(await scene.store.boundTo({ resource: "customers", serviceId: 11 })).toEqual(customer("1"));
    const left =
      "SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND a.state <> 'active'";
    expect(await ask(server.url, left)).toEqual([]);
  });
});

it("never reads the answer of a reset that PgBouncer has not read, because a notice arrived during it", async () => {
  await using pooler = await startPgBouncer(server.url, "session");
  const place = { url: pooler.url, schema: "public" };
  await using notifying = new Link({ ...place, url: server.url }, unlocked(place), { max: 1 });
  for (let round = 1; round <= 40; round++) {
    const leaving = new Client({ connectionString: pooler.url, application_name: "svcsync" });
    await leaving.connect();
    await leaving.query(`LISTEN ${CHANNEL}`);
    const notice = notifying.rows(`NOTIFY ${CHANNEL}`);
    // The reset has to begin just before the notice: in some rounds it does.
    const leaveAt = performance.now() + Math.random() * 0.8;
    while (performance.now() < leaveAt);
    await leaving.end();
    await using link = new Link(place, unlocked(place), { max: 1 });
    expect(await link.rows(`SELECT ${round} AS round`)).toEqual([{ round }]);
    await notice;
  }
});
