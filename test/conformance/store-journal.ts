import type { InFlight } from "#store";
import { describe, expect, it } from "vitest";
import { OOPS, Scene, contact, customer, deletion, upsert, written, type MakePlace } from "./store-scene.ts";

const INTENT = { resource: "customer", projection: { name: "A", tags: [1, 2] } };
const GONE = { action: "settle", resource: "customers", serviceId: 11, outcome: "gone" } as const;

export function describeJournal(makePlace: MakePlace): void {
  describe("intents", () => {
    it("journals a create before its POST", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await scene.store.begin(claim, INTENT);
      await scene.reopen();
      const { intent } = await scene.claim(customer("1"));
      expect(intent).toEqual({ ...INTENT, begunAt: scene.clock.now(), looks: 0, answered: false, decided: false });
    });

    it("refuses a second create while one is open, and a create of a bound record", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await scene.store.begin(claim, INTENT);
      await expect(scene.store.begin(claim, INTENT)).rejects.toMatchObject({ code: "E_STORE_STATE" });
      await scene.bound(customer("2"), 12);
      await scene.stage([upsert("2", { v: 2 })]);
      const bound = await scene.claim(customer("2"));
      await expect(scene.store.begin(bound, INTENT)).rejects.toMatchObject({ code: "E_STORE_STATE" });
    });

    it("ends the intent of a create that certainly did not happen, and the claim stays", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await scene.store.begin(claim, INTENT);
      await scene.store.noteCreate(claim, "absent");
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "claimed", intent: undefined });
      await scene.store.begin(claim, INTENT);
    });

    it("counts the looks for a result", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await scene.store.begin(claim, INTENT);
      await scene.store.noteCreate(claim, "notFound");
      await scene.store.noteCreate(claim, "notFound");
      expect((await scene.store.record(customer("1")))?.intent).toMatchObject({ looks: 2 });
    });

    it("remembers that the service carried a create out, until the create is abandoned", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await scene.store.begin(claim, INTENT);
      await scene.store.noteCreate(claim, "answered");
      await scene.reopen();
      const again = await scene.claim(customer("1"));
      expect(again.intent).toMatchObject({ answered: true });
      await scene.store.noteCreate(again, "absent");
      await scene.store.begin(again, INTENT);
      expect((await scene.store.record(customer("1")))?.intent).toMatchObject({ answered: false });
    });

    it("refuses to end, to note an answer of, to look for, or to be uncertain about a create that was not begun", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      const { store } = scene;
      const steps = [
        store.noteCreate(claim, "absent"),
        store.noteCreate(claim, "answered"),
        store.noteCreate(claim, "notFound"),
        store.end(claim, { kind: "uncertain", error: OOPS }),
      ];
      for (const step of steps) await expect(step).rejects.toMatchObject({ family: "park", code: "E_STORE_STATE" });
      expect(await scene.state(customer("1"))).toBe("claimed");
    });

    it.each(["retry", "wait", "park", "uncertain", "skip", "remove", "release"] as const)(
      "keeps an open intent through %s",
      async (step) => {
        await using scene = await Scene.open(makePlace);
        const { store } = scene;
        const claim = await scene.claimed(customer("1"));
        await store.begin(claim, INTENT);
        if (step === "retry") await store.end(claim, { kind: "retry", error: OOPS, dueAt: scene.clock.now() });
        else if (step === "wait") await store.end(claim, { kind: "wait", error: OOPS });
        else if (step === "park") await store.end(claim, { kind: "park", error: OOPS });
        else if (step === "uncertain") await store.end(claim, { kind: "uncertain", error: OOPS });
        else if (step === "skip") await store.end(claim, { kind: "skip", reason: "no" });
        else if (step === "remove") await store.end(claim, { kind: "remove", unbind: true });
        else await store.end(claim, { kind: "release" });
        expect((await store.record(customer("1")))?.intent).toMatchObject(INTENT);
        await scene.stage([upsert("1", { v: "new" })]);
        expect((await scene.claim(customer("1"))).intent).toMatchObject(INTENT);
      },
    );
  });

  describe("binding", () => {
    it("stores binding, applied projection and the end of the intent together", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await scene.create(claim, 11);
      await scene.reopen();
      expect(await scene.store.record(customer("1"))).toMatchObject({
        state: "applied",
        binding: { resource: "customers", serviceId: 11 },
        applied: { name: "Name of 1" },
        appliedSequence: 1,
        intent: undefined,
        dueAt: undefined,
      });
      expect(await scene.store.boundTo({ resource: "customers", serviceId: 11 })).toEqual(customer("1"));
      expect(await scene.store.boundTo({ resource: "customers", serviceId: 12 })).toBeUndefined();
    });

    it("makes the record due again when a newer change was staged", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await scene.stage([upsert("1", { v: 2 })]);
      await scene.create(claim, 11);
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "due", sequence: 2, appliedSequence: 1 });
    });

    it("makes an adopted record due at once when its fields are not yet what the row says", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      const found = written({ name: "Old name" }, [], { outcome: "adopted", again: true });
      await scene.store.end(claim, { kind: "bind", binding: { resource: "customers", serviceId: 11 }, applied: found });
      expect((await scene.claim(customer("1"))).applied).toEqual({ name: "Old name" });
    });

    it("leaves the deletion of a record that it only found again still to be carried out", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await scene.store.begin(claim, INTENT);
      await scene.store.end(claim, { kind: "retry", error: OOPS, dueAt: scene.clock.now() });
      await scene.stage([deletion("1")]);
      const settling = await scene.claim(customer("1"));
      await scene.store.end(settling, {
        kind: "bind",
        binding: { resource: "customers", serviceId: 11 },
        applied: written({ name: "A" }),
      });
      expect(await scene.claim(customer("1"))).toMatchObject({ deleted: true, binding: { serviceId: 11 } });
    });

    it("refuses a service id that is bound to another record, and keeps the intent", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      const claim = await scene.claimed(customer("2"));
      await expect(scene.create(claim, 11)).rejects.toMatchObject({
        family: "park",
        code: "E_ALREADY_BOUND",
        details: { boundTo: "customers/1" },
      });
      expect(await scene.store.record(customer("2"))).toMatchObject({ state: "claimed", binding: undefined });
      expect((await scene.store.record(customer("2")))?.intent).toBeDefined();
    });

    it("lets two resources use the same service id", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.bound(contact("1"), 11);
      expect(await scene.state(contact("1"))).toBe("applied");
    });

    it("ends a binding whose record is gone, forgets what was applied, and the claim stays", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { v: 2 })]);
      const claim = await scene.claim(customer("1"));
      await scene.store.unbind(claim, GONE);
      expect(await scene.store.record(customer("1"))).toMatchObject({
        state: "claimed",
        binding: undefined,
        applied: undefined,
      });
      expect(await scene.store.audit({ id: customer("1"), limit: 1 })).toMatchObject([GONE]);
      await scene.create(claim, 12);
      expect((await scene.store.record(customer("1")))?.binding?.serviceId).toBe(12);
    });

    it("refuses to update, apply or unbind a record that is not bound", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      const { store } = scene;
      for (const step of [
        store.end(claim, { kind: "apply", applied: written({}) }),
        store.markInFlight(claim, { kind: "update", fields: {} }),
        store.unbind(claim, GONE),
      ])
        await expect(step).rejects.toMatchObject({ code: "E_STORE_STATE" });
    });
  });

  describe("doubts", () => {
    it("keeps the fields of an update in doubt until it is applied", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { v: 2 })]);
      const claim = await scene.claim(customer("1"));
      await scene.store.markInFlight(claim, { kind: "update", fields: { name: "B" } });
      const inFlight: InFlight = { kind: "update", fields: { name: "C", tags: [1] }, request: "the second" };
      await scene.store.markInFlight(claim, inFlight);
      await scene.reopen();
      const again = await scene.claim(customer("1"));
      expect(again).toMatchObject({
        inFlight,
        applied: { name: "Name of 1" },
      });
      await scene.store.end(again, { kind: "apply", applied: written({ name: "C" }) });
      await scene.stage([upsert("1", { v: 3 })]);
      expect(await scene.claim(customer("1"))).toMatchObject({ inFlight: undefined, applied: { name: "C" } });
    });

    it("clears the doubts of a binding that ended", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { v: 2 })]);
      const claim = await scene.claim(customer("1"));
      await scene.store.markInFlight(claim, { kind: "update", fields: { name: "B" } });
      await scene.store.unbind(claim, GONE);
      await scene.store.end(claim, { kind: "release" });
      expect((await scene.claim(customer("1"))).inFlight).toBeUndefined();
    });
  });
}
