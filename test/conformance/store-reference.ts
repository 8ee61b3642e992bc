import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createsNote, writesNote, restoredNote, type MatchEntry, type Note } from "#store";
import { customer, Scene, upsert, written, type MakePlace } from "./store-scene.ts";

const textNote: Note<string> = { name: "a", schema: z.string() };
const driftNote: Note<{ fields: string[] }> = { name: "drift", schema: z.object({ fields: z.array(z.string()) }) };

function entry(serviceId: number, number: string, mail: string): MatchEntry {
  return { serviceId, keys: { number, "customer,mail": mail } };
}

export function describeReference(makePlace: MakePlace): void {
  describe("reference data, adoption and notes", () => {
    it("keeps the lookup values of a resource and when they were read", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.store.reference("status")).toBeUndefined();
      await scene.store.saveReference("status", [{ id: 1, name: "Active" }]);
      scene.clock.advance(5);
      await scene.store.saveReference("status", [{ id: 2, name: "New" }]);
      await scene.reopen();
      const found = await scene.store.reference("status");
      expect(found).toEqual({ readAt: scene.clock.now(), entries: [{ id: 2, name: "New" }] });
    });

    it("lets others have their turn while reads follow each other", async () => {
      await using scene = await Scene.open(makePlace);
      const other = new AbortController();
      setImmediate(() => other.abort());
      for (let reads = 0; reads < 1_000_000 && !other.signal.aborted; reads++) await scene.store.note(textNote);
      expect(other.signal.aborted).toBe(true);
    });

    it("keeps what was decided about a stream's first run", async () => {
      await using scene = await Scene.open(makePlace);
      expect((await scene.store.stream("customers")).adoption).toBeUndefined();
      await scene.store.decideAdoption("customers", "adopt");
      const at = scene.clock.now();
      expect((await scene.store.stream("customers")).adoption).toEqual({ decision: "adopt", at });
      await scene.store.decideAdoption("customers", "create-all");
      expect((await scene.store.stream("customers")).adoption?.decision).toBe("create-all");
      await scene.store.decideAdoption("customers", undefined);
      expect((await scene.store.stream("customers")).adoption).toBeUndefined();
    });

    it("keeps small facts over a restart, until they are erased", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.store.note(driftNote)).toBeUndefined();
      await scene.store.saveNote(driftNote, { fields: ["a"] });
      await scene.reopen();
      expect(await scene.store.note(driftNote)).toEqual({ fields: ["a"] });
      await scene.store.saveNote(driftNote, undefined);
      await scene.reopen();
      expect(await scene.store.note(driftNote)).toBeUndefined();
    });

    it("replaces a fact only while it is the one that was read", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.store.replaceNote(driftNote, undefined, { fields: ["a"] })).toBe(true);
      expect(await scene.store.replaceNote(driftNote, undefined, { fields: ["b"] })).toBe(false);
      expect(await scene.store.replaceNote(driftNote, { fields: ["c"] }, undefined)).toBe(false);
      expect(await scene.store.note(driftNote)).toEqual({ fields: ["a"] });
      expect(await scene.store.replaceNote(driftNote, { fields: ["a"] }, { fields: ["d"] })).toBe(true);
      expect(await scene.store.replaceNote(driftNote, { fields: ["d"] }, undefined)).toBe(true);
      expect(await scene.store.note(driftNote)).toBeUndefined();
    });

    it("takes what does not parse, and what an older version erased, for absent", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.saveNote({ name: driftNote.name, schema: z.json() }, { columns: 1 });
      expect(await scene.store.note(driftNote)).toBeUndefined();
      expect(await scene.store.replaceNote(driftNote, undefined, { fields: ["a"] })).toBe(true);
      await scene.store.saveNote({ name: driftNote.name, schema: z.json() }, null);
      expect(await scene.store.note(driftNote)).toBeUndefined();
    });
  });

  describe("a store that turns out to be older than the service", () => {
    it("counts creates that were begun, also those that were abandoned", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.store.note(createsNote)).toBeUndefined();
      const claim = await scene.claimed(customer("1"));
      for (const count of [1, 2]) {
        expect(await scene.store.begin(claim, { resource: "customer", projection: {} })).toBe(count);
        await scene.store.noteCreate(claim, "absent");
      }
      await scene.reopen();
      expect(await scene.store.note(createsNote)).toBe(2);
    });

    it("counts updates and deletions that were begun", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { name: "Later" })]);
      const claim = await scene.claim(customer("1"));
      const first = (await scene.store.note(writesNote)) ?? 0;
      expect(await scene.store.markInFlight(claim, { kind: "update", fields: { name: null } })).toBe(first + 1);
      expect(await scene.store.markInFlight(claim, { kind: "deletion", fields: {} })).toBe(first + 2);
      await scene.reopen();
      expect(await scene.store.note(writesNote)).toBe(first + 2);
    });

    it.each(["due", "parked", "applied"] as const)(
      "puts fields of a bound record that is %s in doubt",
      async (state) => {
        await using scene = await Scene.open(makePlace);
        const { store } = scene;
        await scene.bound(customer("1"), 11);
        if (state !== "applied") await scene.stage([upsert("1", { name: "Later" })]);
        if (state === "parked") {
          const error = { code: "E_MAPPING", message: "odd", details: {} } as const;
          await store.end(await scene.claim(customer("1")), { kind: "park", error });
        }
        const doubts = { name: null };
        expect(await store.recheck(customer("1"), doubts)).toBe(state === "applied");
        expect(await store.recheck(customer("1"), doubts, undefined, { anyState: true })).toBe(true);
        const inFlight = { kind: "drift", fields: doubts };
        expect(await store.record(customer("1"))).toMatchObject({
          state: state === "parked" ? "parked" : "due",
          inFlight,
        });
      },
    );

    it("leaves a request alone that may be in flight", async () => {
      await using scene = await Scene.open(makePlace);
      const { store } = scene;
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { name: "Later" })]);
      const claim = await scene.claim(customer("1"));
      await store.markInFlight(claim, { kind: "update", fields: { name: null }, request: "r1" });
      await store.end(claim, { kind: "release" });
      expect(await store.recheck(customer("1"), { other: null }, undefined, { anyState: true })).toBe(false);
      expect((await store.record(customer("1")))?.inFlight).toMatchObject({ kind: "update", request: "r1" });
    });

    it("forgets when its indexes were read and what was decided, and counts on from what it was told", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.decideAdoption("customers", "empty");
      await scene.store.beginMatches("customer");
      await scene.store.endMatches("customer", { whole: true, readAt: 5 });
      await scene.store.restored(7);
      await scene.reopen();
      expect((await scene.store.stream("customers")).adoption).toBeUndefined();
      expect(await scene.store.matchIndex("customer")).toBeUndefined();
      expect(await scene.store.note(restoredNote)).toBe(true);
      expect(await scene.store.note(createsNote)).toBe(7);
    });
  });

  describe("the match index", () => {
    it("finds the service ids of a natural key under a rule", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.saveMatches("customer", [entry(2, "k1", "a"), entry(1, "k1", "b"), entry(3, "k3", "k1")]);
      expect(await scene.store.matches("customer", "number", "k1")).toEqual([1, 2]);
      expect(await scene.store.matches("customer", "customer,mail", "k1")).toEqual([3]);
      expect(await scene.store.matches("customer", "number", "k9")).toEqual([]);
      expect(await scene.store.matches("contact", "number", "k1")).toEqual([]);
    });

    it("tells the keys of a record that it lists", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.saveMatches("customer", [entry(2, "k1", "a"), entry(1, "k1", "b")]);
      expect(await scene.store.matchKeys("customer", 2)).toEqual({ number: "k1", "customer,mail": "a" });
      expect(await scene.store.matchKeys("customer", 3)).toEqual({});
      expect(await scene.store.matchKeys("contact", 2)).toEqual({});
    });

    it("is known only once it was read to its end, and is not empty with a record that has no key", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.beginMatches("customer");
      await scene.store.saveMatches("customer", [{ serviceId: 2, keys: {} }]);
      expect(await scene.store.matchIndex("customer")).toBeUndefined();
      await scene.store.endMatches("customer", { whole: true, readAt: 5 });
      expect(await scene.store.matchIndex("customer")).toEqual({ readAt: 5, isEmpty: false });
    });

    it("remembers that the resource was empty", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.saveMatches("customer", [entry(1, "a", "b")]);
      await scene.store.beginMatches("contact");
      await scene.store.endMatches("contact", { whole: true, readAt: 5 });
      expect(await scene.store.matchIndex("contact")).toEqual({ readAt: 5, isEmpty: true });
    });

    it("replaces the keys of a record that is saved again, and keeps the others in a partial read", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.saveMatches("customer", [entry(1, "a", "b"), entry(2, "c", "d")]);
      await scene.store.saveMatches("customer", [entry(1, "x", "b")]);
      await scene.store.endMatches("customer", { whole: false, readAt: 6 });
      expect(await scene.store.matches("customer", "number", "a")).toEqual([]);
      expect(await scene.store.matches("customer", "number", "x")).toEqual([1]);
      expect(await scene.store.matches("customer", "number", "c")).toEqual([2]);
      expect(await scene.store.matchIndex("customer")).toEqual({ readAt: 6, isEmpty: false });
    });

    it("is never half: a whole read forgets what it did not show only when it has ended", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.beginMatches("customer");
      await scene.store.saveMatches("customer", [entry(1, "a", "b"), entry(2, "c", "d"), entry(3, "e", "f")]);
      await scene.store.endMatches("customer", { whole: true, readAt: 5 });
      await scene.store.beginMatches("customer");
      await scene.store.saveMatches("customer", [entry(1, "a", "b")]);
      expect(await scene.store.matches("customer", "number", "c")).toEqual([2]);
      expect(await scene.store.matchIndex("customer")).toEqual({ readAt: 5, isEmpty: false });
      const { known, unseen, some } = await scene.store.unseenMatches("customer", 5);
      expect([known, unseen, some.toSorted((a, b) => a - b)]).toEqual([3, 2, [2, 3]]);
      await scene.store.endMatches("customer", { whole: true, readAt: 7 });
      expect(await scene.store.matches("customer", "number", "c")).toEqual([]);
      expect(await scene.store.unseenMatches("customer", 5)).toEqual({ known: 1, unseen: 0, some: [] });
    });

    it("replaces only the keys of the rules that a read has", async () => {
      await using scene = await Scene.open(makePlace);
      const { store } = scene;
      await store.saveMatches("customer", [entry(1, "a", "b"), entry(2, "c", "d")]);
      await store.saveMatches("customer", [{ serviceId: 1, keys: { name: "n" } }], ["name", "customer,mail"]);
      expect(await store.matchKeys("customer", 1)).toEqual({ number: "a", name: "n" });
      await store.saveMatches("customer", [{ serviceId: 1, keys: {} }], ["name"]);
      expect(await store.matchKeys("customer", 1)).toEqual({ number: "a" });
      expect(await store.matchKeys("customer", 2)).toEqual({ number: "c", "customer,mail": "d" });
    });

    it("does not lose what one read has shown to another read that began beside it", async () => {
      await using scene = await Scene.open(makePlace);
      const { store } = scene;
      const keys = async () =>
        (await Promise.all(["a", "c", "e"].map((key) => store.matches("customer", "number", key)))).flat();
      const one = await store.beginMatches("customer");
      await store.saveMatches("customer", [entry(1, "a", "b"), entry(2, "c", "d")]);
      const other = await store.beginMatches("customer");
      await store.saveMatches("customer", [entry(3, "e", "f")]);
      expect(await store.unseenMatches("customer", 5, one)).toEqual({ known: 3, unseen: 0, some: [] });
      await store.endMatches("customer", { whole: true, readAt: 5, reading: one });
      expect(await keys()).toEqual([1, 2, 3]);
      await store.saveMatches("customer", [entry(1, "a", "b")]);
      expect(await store.unseenMatches("customer", 5, other)).toEqual({ known: 3, unseen: 1, some: [2] });
      await store.endMatches("customer", { whole: true, readAt: 6, reading: other });
      expect(await keys()).toEqual([1, 3]);
    });

    it.each(["unbind", "remove"] as const)("forgets a record that the service no longer has: %s", async (step) => {
      await using scene = await Scene.open(makePlace);
      const { store } = scene;
      await store.beginMatches("customers");
      await store.saveMatches("customers", [entry(1, "a", "b"), entry(2, "c", "d")]);
      await store.endMatches("customers", { whole: true, readAt: 5 });
      await scene.bound(customer("10"), 1);
      await scene.stage([upsert("10", { name: "Later" })]);
      const claim = await scene.claim(customer("10"));
      if (step === "remove") await store.end(claim, { kind: "remove", unbind: true });
      else await store.unbind(claim, { action: "delete", resource: "customers", serviceId: 1, outcome: "was gone" });

      expect(await store.matches("customers", "number", "a")).toEqual([]);
      await store.beginMatches("customers");
      expect(await store.unseenMatches("customers", 5)).toEqual({ known: 1, unseen: 1, some: [2] });
    });

    it("learns the keys of a record in the step that binds or applies it, and none where that is refused", async () => {
      await using scene = await Scene.open(makePlace);
      const { store } = scene;
      const binding = { resource: "customer", serviceId: 11 };
      await store.end(await scene.claimed(customer("1")), {
        kind: "bind",
        binding,
        applied: { ...written({}), keys: { number: "k1" } },
      });
      expect(await store.matches("customer", "number", "k1")).toEqual([11]);
      await scene.stage([upsert("1", { v: 2 })]);
      await store.end(await scene.claim(customer("1")), {
        kind: "apply",
        applied: { ...written({}), keys: { number: "k2" } },
      });
      expect(await store.matches("customer", "number", "k1")).toEqual([]);
      expect(await store.matches("customer", "number", "k2")).toEqual([11]);
      const other = await scene.claimed(customer("2"));
      const bound = store.end(other, { kind: "bind", binding, applied: { ...written({}), keys: { number: "k3" } } });
      await expect(bound).rejects.toMatchObject({ code: "E_ALREADY_BOUND" });
      expect(await store.matches("customer", "number", "k2")).toEqual([11]);
    });

    it("knows of bound records that no read has shown, and which records nobody has bound", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")]);
      await scene.create(await scene.claim(customer("1")), 11);
      await scene.store.beginMatches("customers");
      await scene.store.saveMatches("customers", [entry(12, "a", "b")]);
      expect(await scene.store.unseenMatches("customers", 5)).toEqual({ known: 2, unseen: 1, some: [11] });
      expect(await scene.store.unboundMatches("customers")).toBe(1);
    });
  });
}
