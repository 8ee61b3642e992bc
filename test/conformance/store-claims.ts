import { describe, expect, it } from "vitest";
import { recordName, type ErrorFacts } from "#model";
import type { Claim, Store } from "#store";
import { LEASE_MS, OOPS, Scene, contact, customer, upsert, written, type MakePlace } from "./store-scene.ts";

/** Every step, as a worker takes it. */
const STEPS: Record<string, (store: Store, claim: Claim) => Promise<unknown>> = {
  renew: (store, claim) => store.renew(claim),
  begin: (store, claim) => store.begin(claim, { resource: "customer", projection: {} }),
  doubt: (store, claim) => store.markInFlight(claim, { kind: "update", fields: { name: "x" } }),
  abandon: (store, claim) => store.noteCreate(claim, "absent"),
  answered: (store, claim) => store.noteCreate(claim, "answered"),
  looked: (store, claim) => store.noteCreate(claim, "notFound"),
  bind: (store, claim) =>
    store.end(claim, { kind: "bind", binding: { resource: "customer", serviceId: 1 }, applied: written({}) }),
  apply: (store, claim) => store.end(claim, { kind: "apply", applied: written({}) }),
  retry: (store, claim) => store.end(claim, { kind: "retry", error: OOPS, dueAt: 0 }),
  wait: (store, claim) => store.end(claim, { kind: "wait", error: OOPS }),
  park: (store, claim) => store.end(claim, { kind: "park", error: OOPS }),
  uncertain: (store, claim) => store.end(claim, { kind: "uncertain", error: OOPS }),
  skip: (store, claim) => store.end(claim, { kind: "skip", reason: "no" }),
  remove: (store, claim) => store.end(claim, { kind: "remove", unbind: true }),
  unbind: (store, claim) => store.unbind(claim, { action: "settle", resource: "customer", outcome: "gone" }),
  release: (store, claim) => store.end(claim, { kind: "release" }),
};

const ORPHANED: ErrorFacts = { code: "E_PARENT_MISSING", message: "waits", details: {} };

async function expectOneOf(...steps: Promise<unknown>[]): Promise<void> {
  expect(await Promise.allSettled(steps)).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "E_CLAIM_LOST" } },
  ]);
}

export function describeClaims(makePlace: MakePlace): void {
  describe("claims", () => {
    it("gives the record with all that is known about it", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"), { name: "A", tags: [1, null, { deep: true }] });
      expect(claim).toEqual({
        id: customer("1"),
        token: expect.any(String),
        sequence: 1,
        row: { name: "A", tags: [1, null, { deep: true }] },
        deleted: false,
        changedAt: scene.clock.now(),
        attempts: 0,
        binding: undefined,
        applied: undefined,
        inFlight: undefined,
        intent: undefined,
        decision: undefined,
      });
    });

    it("lets exactly one of many take a record", async () => {
      await using scene = await Scene.open(makePlace);
      await using other = await scene.another("operator");
      await scene.stage([upsert("1")]);
      const attempts = Array.from({ length: 20 }, (_, at) => (at % 2 ? scene.store : other).claim(customer("1")));
      const taken = (await Promise.all(attempts)).filter((claim) => claim !== undefined);
      expect(taken).toHaveLength(1);
    });

    it("takes every due time and lease back with a clock that was set back", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.end(await scene.claimed(customer("1")), {
        kind: "retry",
        error: OOPS,
        dueAt: scene.clock.now() + 10,
      });
      await scene.claimed(customer("2"));
      await scene.bound(customer("3"), 13);
      scene.clock.advance(-3_600_000);
      expect(await scene.dueKeys()).toEqual([]);
      await scene.store.clockSetBack(3_600_000);
      expect(await scene.dueKeys()).toEqual([]);
      scene.clock.advance(10);
      expect(await scene.dueKeys()).toEqual(["1"]);
      scene.clock.advance(LEASE_MS);
      expect(await scene.dueKeys()).toEqual(["1", "2"]);
    });

    it("gives nothing for a record that is unknown, not due, or done", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.store.claim(customer("0"))).toBeUndefined();
      await scene.store.end(await scene.claimed(customer("1")), {
        kind: "retry",
        error: OOPS,
        dueAt: scene.clock.now() + 10,
      });
      expect(await scene.store.claim(customer("1"))).toBeUndefined();
      await scene.bound(customer("2"), 12);
      expect(await scene.store.claim(customer("2"))).toBeUndefined();
    });

    it("makes the record due again when the lease ran out, and the late worker's steps fail", async () => {
      await using scene = await Scene.open(makePlace);
      const late = await scene.claimed(customer("1"));
      scene.clock.advance(LEASE_MS - 1);
      expect(await scene.dueKeys()).toEqual([]);
      expect(await scene.store.claim(customer("1"))).toBeUndefined();
      scene.clock.advance(1);
      expect(await scene.dueKeys()).toEqual(["1"]);
      await scene.claim(customer("1"));
      await expect(scene.store.end(late, { kind: "park", error: OOPS })).rejects.toMatchObject({
        family: "retry",
        code: "E_CLAIM_LOST",
      });
    });

    it("extends the lease of a claim that is still held", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      scene.clock.advance(LEASE_MS - 1);
      await scene.store.renew(claim);
      scene.clock.advance(LEASE_MS - 1);
      expect(await scene.store.claim(customer("1"))).toBeUndefined();
      scene.clock.advance(1);
      expect(await scene.store.claim(customer("1"))).toBeDefined();
    });

    it.each(Object.entries(STEPS))("refuses %s with a claim that was lost, and changes nothing", async (_, step) => {
      await using scene = await Scene.open(makePlace);
      const lost = await scene.claimed(customer("1"));
      await scene.store.end(lost, { kind: "release" });
      await scene.claim(customer("1"));
      const before = await scene.store.record(customer("1"));
      await expect(step(scene.store, lost)).rejects.toMatchObject({ family: "retry", code: "E_CLAIM_LOST" });
      expect(await scene.store.record(customer("1"))).toEqual(before);
    });

    it("lets exactly one of two steps end a claim that are taken at once", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { name: "new" }), upsert("2")]);
      const claim = await scene.claim(customer("1"));
      const other = await scene.claim(customer("2"));
      const binding = { resource: "customers", serviceId: 12 };
      const [x, y] = [written({ name: "x" }), written({ name: "y" })];
      await expectOneOf(
        scene.store.end(claim, { kind: "apply", applied: x }),
        scene.store.end(claim, { kind: "apply", applied: y }),
      );
      await expectOneOf(
        scene.store.end(other, { kind: "bind", binding, applied: x }),
        scene.store.end(other, { kind: "bind", binding, applied: y }),
      );
      for (const id of [customer("1"), customer("2")])
        expect(await scene.store.record(id)).toMatchObject({ state: "applied", applied: { name: "x" } });
    });

    it("binds a service id to exactly one of the records that are bound to it at once", async () => {
      await using scene = await Scene.open(makePlace);
      const claims = [
        await scene.claimed(customer("1")),
        await scene.claimed(customer("2")),
        await scene.claimed(customer("3")),
      ];
      const bound = claims.map((claim, at) =>
        scene.store.end(claim, {
          kind: "bind",
          binding: { resource: "customers", serviceId: at === 2 ? 13 : 11 },
          applied: written({}),
        }),
      );
      expect(await Promise.allSettled(bound)).toMatchObject([
        { status: "fulfilled" },
        { status: "rejected", reason: { code: "E_ALREADY_BOUND", details: { boundTo: "customers/1" } } },
        { status: "fulfilled" },
      ]);
      expect(await scene.store.boundTo({ resource: "customers", serviceId: 13 })).toEqual(customer("3"));
    });

    it("fails alone when steps that are taken at once share a commit", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1"), upsert("2"), upsert("3")]);
      const [first, second, third] = await Promise.all(["1", "2", "3"].map((key) => scene.claim(customer(key))));
      await scene.store.end(second!, { kind: "release" });
      const ends = await Promise.allSettled([
        scene.store.end(first!, { kind: "park", error: OOPS }),
        scene.store.end(second!, { kind: "park", error: OOPS }),
        scene.store.end(third!, { kind: "park", error: OOPS }),
      ]);
      expect(ends.map((end) => end.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      const states = await Promise.all(["1", "2", "3"].map((key) => scene.state(customer(key))));
      expect(states).toEqual(["parked", "due", "parked"]);
    });

    it("gives a claim back untouched", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.end(await scene.claimed(customer("1")), {
        kind: "retry",
        error: OOPS,
        dueAt: scene.clock.now(),
      });
      await scene.store.end(await scene.claim(customer("1")), { kind: "release" });
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "due", attempts: 1 });
      expect(await scene.dueKeys()).toEqual(["1"]);
    });

    it("gives back the claims of a dead daemon when the next one opens the store", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await scene.store.begin(claim, { resource: "customer", projection: { name: "A" } });
      await scene.reopen();
      const again = await scene.claim(customer("1"));
      expect(again).toMatchObject({ attempts: 0, intent: { projection: { name: "A" } } });
      await expect(scene.store.noteCreate(claim, "absent")).rejects.toMatchObject({ code: "E_CLAIM_LOST" });
    });

    it("puts what a dead daemon had claimed back to its place in the line", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.claimed(customer("1"));
      scene.clock.advance(1);
      await scene.stage([upsert("2")]);
      scene.clock.advance(1);
      await scene.reopen();
      expect(await scene.dueKeys()).toEqual(["1", "2"]);
    });
  });

  describe("the order of turns", () => {
    it("takes live changes first, then the longest due", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("old")], { backfill: true });
      scene.clock.advance(1);
      await scene.stage([upsert("b")]);
      scene.clock.advance(1);
      await scene.stage([upsert("a")], { stream: "contacts" });
      const all = { limit: 9, streams: ["contacts", "customers"] };
      expect(await scene.store.due(all)).toMatchObject([
        { id: customer("b"), backfill: false },
        { id: contact("a"), backfill: false },
        { id: customer("old"), backfill: true },
      ]);
      expect(await scene.store.due({ ...all, limit: 2 })).toHaveLength(2);
    });

    it("lets a live change lift a record out of a first load, never back", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1"), upsert("2")], { backfill: true });
      await scene.stage([upsert("2", { v: 2 })]);
      await scene.stage([upsert("2", { v: 3 })], { backfill: true });
      expect((await scene.store.due({ limit: 9, streams: ["customers"] }))[0]).toMatchObject({
        id: customer("2"),
        backfill: false,
      });
    });

    it("leaves out streams that were not asked for", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")]);
      expect(await scene.dueKeys("contacts")).toEqual([]);
      expect(await scene.store.nextDueAt(["contacts"])).toBeUndefined();
    });

    it("knows the earliest moment at which something becomes due", async () => {
      await using scene = await Scene.open(makePlace);
      const now = scene.clock.now();
      expect(await scene.store.nextDueAt(["customers"])).toBeUndefined();
      await scene.store.end(await scene.claimed(customer("1")), { kind: "retry", error: OOPS, dueAt: now + 500 });
      await scene.store.end(await scene.claimed(customer("2")), { kind: "wait", error: OOPS, dueAt: now + 300 });
      expect(await scene.store.nextDueAt(["customers"])).toBe(now + 300);
      const claim = await scene.claimed(customer("3"));
      await scene.store.end(claim, { kind: "park", error: OOPS });
      expect(await scene.store.nextDueAt(["customers"])).toBe(now + 300);
      const orphaned = { ...ORPHANED, message: 'no customer "a\0b"' };
      await scene.store.end(await scene.claimed(customer("4")), { kind: "wait", error: orphaned, dueAt: now + 100 });
      expect(await scene.store.nextDueAt(["customers"])).toBe(now + 100);
      const leftOut = { errors: ["E_PARENT_MISSING"], after: now + 300 } as const;
      expect(await scene.store.nextDueAt(["customers"], leftOut)).toBe(now + 300);
      expect(await scene.store.nextDueAt(["customers"], { ...leftOut, after: now + 299 })).toBeUndefined();
    });
  });

  describe("bindings of records", () => {
    it("names the bound ones and leaves out the others", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("2")]);
      const found = await scene.store.bindings([customer("1"), customer("2"), contact("1")]);
      expect([...found]).toEqual([[recordName(customer("1")), { resource: "customers", serviceId: 11 }]]);
    });
  });
}
