import { describe, expect, it } from "vitest";
import { Scene, customer, deletion, upsert, written, type MakePlace } from "./store-scene.ts";

const ALL = Number.MAX_SAFE_INTEGER;
const changed = (key: string) => upsert(key, { name: `changed ${key}` });

/** Two bound customers, and what a guarded read of these changes left. */
async function guarded(makePlace: MakePlace, ...changes: Parameters<Scene["stage"]>[0]): Promise<Scene> {
  const scene = await Scene.open(makePlace);
  await scene.bound(customer("1"), 11);
  await scene.bound(customer("2"), 12);
  await stageGuarded(scene, ...changes);
  return scene;
}

async function stageGuarded(scene: Scene, ...changes: Parameters<Scene["stage"]>[0]) {
  scene.clock.advance(1);
  await scene.store.stage("customers", { changes, cursor: 1, backfill: false, guarded: true, complete: true });
}

const sequenceOf = async ({ store }: Scene) => (await store.stream("customers")).sequence;

export function describeRounds(makePlace: MakePlace): void {
  describe("guarded changes", () => {
    it("are not claimed, not due and not awaited before a decision, while others are", async () => {
      await using scene = await guarded(makePlace, changed("1"), upsert("3"));
      expect(await scene.dueKeys()).toEqual(["3"]);
      expect(await scene.store.claim(customer("1"))).toBeUndefined();
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "due", isGuarded: true });
      expect(await scene.store.record(customer("3"))).not.toHaveProperty("isGuarded");
      await scene.store.end(await scene.claim(customer("3")), { kind: "skip", reason: "not a customer" });
      expect(await scene.store.nextDueAt(["customers"])).toBeUndefined();
      expect(await scene.store.undeliveredSince("customers")).toBeUndefined();
      await scene.reopen();
      expect(await scene.store.claim(customer("1"))).toBeUndefined();
    });

    it.each(["stageRead", "stageDeletions"] as const)("are those of %s, too", async (step) => {
      await using scene = await guarded(makePlace);
      const read = { changes: [changed("1"), deletion("2")], cursor: 1, since: ALL, guarded: true };
      await scene.store[step]("customers", read);
      expect(await scene.dueKeys()).toEqual([]);
      expect(await scene.store.rounds.undecided("customers", ALL)).toEqual({ fresh: 2, again: 0 });
    });

    it("can be let through, but none that was staged after they were counted", async () => {
      await using scene = await guarded(makePlace, changed("1"));
      const upTo = await sequenceOf(scene);
      await stageGuarded(scene, changed("2"));
      expect(await scene.store.rounds.undecided("customers", upTo)).toEqual({ fresh: 1, again: 0 });
      await scene.store.rounds.decide("customers", { kind: "letThrough", upTo, keepHeld: false });
      expect(await scene.dueKeys()).toEqual(["1"]);
      await scene.claim(customer("1"));
      expect(await scene.store.claim(customer("2"))).toBeUndefined();
    });

    it("stay held across single changes, retries, repairs and another mapping until they are released", async () => {
      await using scene = await guarded(makePlace, changed("1"));
      await scene.store.remap("customers", "first");
      await scene.store.rounds.decide("customers", { kind: "hold", upTo: await sequenceOf(scene) });
      await stageGuarded(scene, upsert("1", { name: "again" }), changed("2"));
      expect(await scene.store.rounds.undecided("customers", ALL)).toEqual({ fresh: 1, again: 1 });
      await scene.store.rounds.decide("customers", { kind: "letThrough", upTo: ALL, keepHeld: true });
      expect(await scene.dueKeys()).toEqual(["2"]);
      await scene.stage([upsert("1", { name: "unguarded" })]);
      await scene.store.retryNow({ states: ["due", "waiting"] });
      await scene.store.recheck(customer("1"), { name: null });
      await scene.store.remap("customers", "second");
      expect(await scene.store.claim(customer("1"))).toBeUndefined();
      expect(await scene.store.rounds.decide("customers", { kind: "release" })).toBe(1);
      expect((await scene.claim(customer("1"))).row).toEqual({ name: "unguarded" });
      expect(await scene.store.record(customer("1"))).not.toHaveProperty("isGuarded");
    });

    it("that came while the record was held stay undecided when the others are released", async () => {
      await using scene = await guarded(makePlace, changed("1"), changed("2"));
      await scene.store.rounds.decide("customers", { kind: "hold", upTo: ALL });
      await stageGuarded(scene, upsert("1", { name: "again" }));
      await scene.store.rounds.decide("customers", { kind: "release" });
      expect(await scene.dueKeys()).toEqual(["2"]);
      await scene.store.rounds.decide("customers", { kind: "letThrough", upTo: ALL, keepHeld: false });
      expect(await scene.dueKeys()).toEqual(["2", "1"].toSorted());
    });

    it("of a record that is being delivered wait for the decision when its delivery has ended", async () => {
      await using scene = await guarded(makePlace);
      await scene.stage([changed("1")]);
      const claim = await scene.claim(customer("1"));
      await stageGuarded(scene, upsert("1", { name: "newer" }));
      await scene.store.end(claim, { kind: "apply", applied: written({ name: "changed 1" }) });
      expect(await scene.store.claim(customer("1"))).toBeUndefined();
      await scene.store.rounds.decide("customers", { kind: "letThrough", upTo: ALL, keepHeld: false });
      expect((await scene.claim(customer("1"))).row).toEqual({ name: "newer" });
    });

    it("do not make a deletion wait for its count", async () => {
      await using scene = await guarded(makePlace, changed("1"));
      await scene.stage([deletion("2")]);
      const told = await scene.store.announceDeletion(await scene.claim(customer("2")), {
        since: 0,
        confirmedAt: 0,
        limit: 9,
      });
      expect(told).toMatchObject({ count: 1, isCounted: true });
    });

    it("are compared with the bound records that the ERP has, and with the updates of late", async () => {
      await using scene = await guarded(makePlace, upsert("3"), deletion("2"));
      expect(await scene.store.rounds.boundCount("customers")).toBe(1);
      const since = scene.clock.now();
      scene.clock.advance(10);
      await scene.stage([changed("1")]);
      const audit = { action: "update", resource: "customers", serviceId: 11, outcome: "updated" } as const;
      await scene.store.end(await scene.claim(customer("1")), { kind: "apply", applied: written({}, [], { audit }) });
      expect(await scene.store.rounds.updatedCount("customers", since)).toBe(1);
      expect(await scene.store.rounds.updatedCount("customers", scene.clock.now())).toBe(0);
    });
  });
}
