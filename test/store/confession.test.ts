import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { lostCreatesNote, sessionNoteName, type Store } from "#store";
import { customer, OOPS, Scene, written } from "../conformance/store-scene.ts";
import { thrownBy } from "../kit/outcome.ts";
import { ask, postgresPlaces, type PostgresPlace } from "./postgres-place.ts";

const places = postgresPlaces();
afterAll(() => places.end());

/** A daemon, and the one that takes over from it as soon as it is lost. */
async function daemons() {
  const place = await places.make();
  const scene = await Scene.open(() => Promise.resolve({ ...place, [Symbol.asyncDispose]: async () => {} }));
  return { place, scene, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

/** What happens to a daemon that was not heard of for too long. */
async function lose(place: PostgresPlace): Promise<void> {
  const { location, schema } = place;
  for (const table of ["members", "leases"]) await ask(location.url, `DELETE FROM "${schema}".${table}`);
}

/** A daemon is lost while it updates a record, which the next one claims before the lost one hears of its loss. */
async function lostDuringUpdate() {
  for (;;) {
    const both = await daemons();
    const { place, scene } = both;
    await scene.bound(customer("1"), 7);
    const claim = await scene.claimed(customer("1"), { name: "Old" });
    await scene.store.markInFlight(claim, { kind: "update", fields: { name: "Old", tags: [1, 2] } });
    await lose(place);
    const next = await scene.another("daemon");
    const taken = (await next.claim(customer("1")))!;
    const dispose = async () => {
      await next[Symbol.asyncDispose]();
      await both[Symbol.asyncDispose]();
    };
    const isUnaware = await scene.store.counts().then(
      () => true,
      () => false,
    );
    if (isUnaware) return { place, scene, next, taken, [Symbol.asyncDispose]: dispose };
    await scene.store[Symbol.asyncDispose]();
    await dispose();
  }
}

async function untilLost(store: Store): Promise<void> {
  await expect.poll(() => thrownBy(store.counts()), { interval: 50 }).toMatchObject({ code: "E_STORE_LOST" });
}

describe("a daemon that was lost with requests under way", () => {
  it("puts its update in doubt, although the next one wrote since and all seemed done", async () => {
    await using both = await lostDuringUpdate();
    const { scene, next, taken } = both;
    await next.end(taken, { kind: "apply", applied: written({ name: "New", tags: [3] }) });
    await untilLost(scene.store);
    await scene.store[Symbol.asyncDispose]();
    expect(await next.record(customer("1"))).toMatchObject({
      state: "due",
      applied: { name: "New", tags: [3] },
      inFlight: { kind: "update", fields: { name: "Old", tags: [1, 2] } },
    });
  });

  it("makes a record due again although the next one carried out its deletion since", async () => {
    await using both = await lostDuringUpdate();
    const { scene, next, taken } = both;
    await next.end(taken, { kind: "remove", unbind: false, applied: { name: "Closed" } });
    await untilLost(scene.store);
    await scene.store[Symbol.asyncDispose]();
    expect(await next.record(customer("1"))).toMatchObject({
      state: "due",
      inFlight: { kind: "update", fields: { name: "Old", tags: [1, 2] } },
    });
  });

  it("waits until the record is not being delivered, and adds to what is in doubt there", async () => {
    await using both = await lostDuringUpdate();
    const { scene, next, taken } = both;
    await next.markInFlight(taken, { kind: "update", fields: { tags: [2, 3], city: "Ulm" } });
    await untilLost(scene.store);
    const ended = scene.store[Symbol.asyncDispose]();
    await next.end(taken, { kind: "retry", error: OOPS, dueAt: 0 });
    await ended;
    expect(await next.record(customer("1"))).toMatchObject({
      state: "due",
      inFlight: { kind: "update", fields: { name: "Old", tags: [2, 3, 1], city: "Ulm" } },
    });
  });

  it("confesses nothing that it recorded, and nothing when it ends in peace", async () => {
    await using both = await daemons();
    const { place, scene } = both;
    await scene.bound(customer("1"), 7);
    await scene.bound(customer("2"), 8);
    const claim = await scene.claimed(customer("2"), { name: "Old" });
    await scene.store.markInFlight(claim, { kind: "update", fields: { name: "Old" } });
    await scene.store.markInFlight(claim, undefined);
    await scene.store.end(claim, { kind: "release" });
    await lose(place);
    await using next = await scene.another("daemon");
    await untilLost(scene.store);
    await scene.store[Symbol.asyncDispose]();
    expect((await next.record(customer("1")))?.state).toBe("applied");
    expect((await next.record(customer("2")))?.inFlight).toBeUndefined();
    expect(await next.note(lostCreatesNote)).toBeUndefined();
  });

  it("has its creates noted twice: when it is lost, and when it confesses", async () => {
    await using both = await daemons();
    const { place, scene } = both;
    // What no text of the database can hold is noted as it is, too.
    const id = customer("1\0\0\u0001\0\u0002\uD7FF\uD800");
    const claim = await scene.claimed(id);
    await scene.store.begin(claim, { resource: "customer", projection: { name: "A" } });
    await ask(place.location.url, `INSERT INTO "${place.schema}".notes VALUES ('${sessionNoteName}', '{"token":"x"}')`);
    await lose(place);
    await using next = await scene.another("daemon");
    const session = { name: sessionNoteName, schema: z.json() };
    expect(await next.note(session)).toEqual({ token: "x", revoked: true });
    // The lost daemon may find out by itself and confess before this.
    const noted = { ...id, lostAt: expect.any(Number) };
    expect(await next.note(lostCreatesNote)).toContainEqual(noted);
    await untilLost(scene.store);
    await scene.store[Symbol.asyncDispose]();
    expect(await next.note(lostCreatesNote)).toEqual([noted, noted]);
  });
});
