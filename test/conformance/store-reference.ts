import { describe, expect, it } from "vitest";
import type { MatchEntry } from "#store";
import { Scene, type MakePlace } from "./store-scene.ts";

function entry(serviceId: number, number: string, mail: string): MatchEntry {
  return { serviceId, keys: { number, "customer,mail": mail } };
}

export function describeReference(makePlace: MakePlace): void {
  describe("reference data, adoption and notes", () => {
    it("keeps the look-up values of a resource and when they were read", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.store.reference("status")).toBeUndefined();
      await scene.store.saveReference("status", [{ id: 1, name: "Active" }]);
      scene.clock.advance(5);
      await scene.store.saveReference("status", [{ id: 2, name: "New" }]);
      await scene.reopen();
      const found = await scene.store.reference("status");
      expect(found).toEqual({ readAt: scene.clock.now(), entries: [{ id: 2, name: "New" }] });
    });

    it("keeps what was decided about a stream's first run", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.store.adoption("customers")).toBeUndefined();
      await scene.store.decideAdoption("customers", "adopt");
      const at = scene.clock.now();
      expect(await scene.store.adoption("customers")).toEqual({ decision: "adopt", at });
      await scene.store.decideAdoption("customers", "create-all");
      expect((await scene.store.adoption("customers"))?.decision).toBe("create-all");
    });

    it("keeps small facts over a restart", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.store.note("drift")).toBeUndefined();
      await scene.store.saveNote("drift", { fields: ["a"] });
      await scene.store.saveNote("nothing", null);
      await scene.reopen();
      expect(await scene.store.note("drift")).toEqual({ fields: ["a"] });
      expect(await scene.store.note("nothing")).toBeNull();
    });
  });

  describe("the match index", () => {
    it("finds the service ids of a natural key under a rule", async () => {
      await using scene = await Scene.open(makePlace);
      const entries = [entry(2, "k1", "a"), entry(1, "k1", "b"), entry(3, "k3", "k1")];
      await scene.store.saveMatches("customer", { entries, fresh: true, complete: true, readAt: 5 });
      expect(await scene.store.matches("customer", "number", "k1")).toEqual([1, 2]);
      expect(await scene.store.matches("customer", "customer,mail", "k1")).toEqual([3]);
      expect(await scene.store.matches("customer", "number", "k9")).toEqual([]);
      expect(await scene.store.matches("contact", "number", "k1")).toEqual([]);
    });

    it("is known only once it was read to its end, and is not empty with a record that has no key", async () => {
      await using scene = await Scene.open(makePlace);
      const batch = { fresh: false, complete: false, readAt: 5 };
      await scene.store.saveMatches("customer", { ...batch, entries: [], fresh: true });
      expect(await scene.store.matchIndex("customer")).toBeUndefined();
      await scene.store.saveMatches("customer", { ...batch, entries: [{ serviceId: 2, keys: {} }], complete: true });
      expect(await scene.store.matchIndex("customer")).toEqual({ readAt: 5, isEmpty: false });
    });

    it("remembers that the resource was empty", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.saveMatches("customer", {
        entries: [entry(1, "a", "b")],
        fresh: true,
        complete: true,
        readAt: 4,
      });
      await scene.store.saveMatches("contact", { entries: [], fresh: true, complete: true, readAt: 5 });
      expect(await scene.store.matchIndex("contact")).toEqual({ readAt: 5, isEmpty: true });
    });

    it("replaces the keys of a record that is saved again, and everything when it begins afresh", async () => {
      await using scene = await Scene.open(makePlace);
      const batch = { fresh: true, complete: true, readAt: 5 };
      await scene.store.saveMatches("customer", { ...batch, entries: [entry(1, "a", "b"), entry(2, "c", "d")] });
      await scene.store.saveMatches("customer", { ...batch, fresh: false, readAt: 6, entries: [entry(1, "x", "b")] });
      expect(await scene.store.matches("customer", "number", "a")).toEqual([]);
      expect(await scene.store.matches("customer", "number", "x")).toEqual([1]);
      expect(await scene.store.matchIndex("customer")).toEqual({ readAt: 6, isEmpty: false });
      await scene.store.saveMatches("customer", { ...batch, complete: false, entries: [] });
      expect(await scene.store.matchIndex("customer")).toBeUndefined();
      expect(await scene.store.matches("customer", "number", "x")).toEqual([]);
    });
  });
}
