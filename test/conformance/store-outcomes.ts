import { describe, expect, it } from "vitest";
import { OOPS, Scene, customer, deletion, upsert, written, type MakePlace } from "./store-scene.ts";

const TRY = {
  action: "attempt",
  resource: "customers",
  outcome: "too long (E_X)",
  status: 400,
  durationMs: 7,
} as const;
const WRITE = { action: "update", resource: "customers", serviceId: 11, outcome: "updated", status: 200 } as const;

export function describeOutcomes(makePlace: MakePlace): void {
  describe("the ends of a claim", () => {
    it("applies a projection, and the record rests", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { v: 2 })]);
      await scene.store.end(await scene.claim(customer("1")), { kind: "retry", error: OOPS, dueAt: scene.clock.now() });
      await scene.store.end(await scene.claim(customer("1")), {
        kind: "apply",
        applied: written({ name: "B" }, [], { audit: WRITE }),
      });
      expect(await scene.store.record(customer("1"))).toMatchObject({
        state: "applied",
        attempts: 0,
        error: undefined,
        applied: { name: "B" },
        appliedSequence: 2,
      });
      expect(await scene.store.audit({ limit: 9 })).toMatchObject([{ ...WRITE, id: customer("1") }]);
      expect(await scene.dueKeys()).toEqual([]);
    });

    it("refuses to apply while a create is open", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), "uncertain");
      await scene.store.retryNow({ key: "1", states: ["uncertain"] });
      const claim = await scene.claim(customer("1"));
      await expect(scene.store.end(claim, { kind: "apply", applied: written({}) })).rejects.toMatchObject({
        code: "E_STORE_STATE",
      });
    });

    it("lists the ids that records of a resource are bound to, the highest first", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.bound(customer("2"), 13);
      await scene.bound(customer("3"), 12);
      const { resource } = (await scene.store.record(customer("1")))!.binding!;
      expect(await scene.store.boundIds(resource, 2)).toEqual([13, 12]);
      expect(await scene.store.boundIds("another", 2)).toEqual([]);
    });

    it.each([0, -1, 1.5, 1e30, 2 ** 53])("refuses to bind to %d, which is no id, and goes on", async (serviceId) => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      const binding = { resource: "customer", serviceId };
      await expect(scene.store.end(claim, { kind: "bind", binding, applied: written({}) })).rejects.toMatchObject({
        family: "park",
        code: "E_STORE_VALUE",
      });
      await scene.store.end(claim, { kind: "park", error: OOPS });
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "parked", binding: undefined });
    });

    it("refuses a value that its tables do not take, as one record's error", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await expect(scene.store.end(claim, { kind: "retry", error: OOPS, dueAt: 1.5 })).rejects.toMatchObject({
        family: "park",
        code: "E_STORE_VALUE",
      });
      await scene.store.end(claim, { kind: "park", error: OOPS });
      expect((await scene.store.record(customer("1")))!.state).toBe("parked");
    });

    it("counts an attempt for a retry and brings the record back at its time", async () => {
      await using scene = await Scene.open(makePlace);
      const dueAt = scene.clock.now() + 1_000;
      await scene.store.end(await scene.claimed(customer("1")), { kind: "retry", error: OOPS, dueAt });
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "due", attempts: 1, dueAt, error: OOPS });
      scene.clock.advance(999);
      expect(await scene.dueKeys()).toEqual([]);
      scene.clock.advance(1);
      expect((await scene.claim(customer("1"))).attempts).toBe(1);
    });

    it.each(["retry", "park"] as const)("keeps a failed attempt in the history of its record: %s", async (step) => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      if (step === "retry")
        await scene.store.end(claim, { kind: "retry", error: OOPS, dueAt: scene.clock.now(), audit: TRY });
      else await scene.store.end(claim, { kind: "park", error: OOPS, audit: TRY });
      const [entry, ...others] = await scene.store.audit({ id: customer("1"), limit: 9 });
      expect(entry).toMatchObject({ ...TRY, at: scene.clock.now(), id: customer("1") });
      expect(others).toEqual([]);
    });

    it("keeps the last ten attempts of a record, and all else of its history", async () => {
      await using scene = await Scene.open(makePlace);
      const { store, clock } = scene;
      await scene.stage([upsert("1"), upsert("2")]);
      const binding = { resource: "customers", serviceId: 11 };
      await store.end(await scene.claim(customer("1")), {
        kind: "bind",
        binding,
        applied: written({}, [], { audit: WRITE, again: true }),
      });
      await store.end(await scene.claim(customer("2")), { kind: "retry", error: OOPS, dueAt: clock.now(), audit: TRY });
      for (let at = 1; at <= 25; at++)
        await store.end(await scene.claim(customer("1")), {
          kind: "retry",
          error: OOPS,
          dueAt: clock.now(),
          audit: { ...TRY, outcome: `try ${at}` },
        });
      const history = await store.audit({ id: customer("1"), limit: 99 });
      const last = Array.from({ length: 10 }, (_, at) => `try ${25 - at}`);
      expect(history.map(({ outcome }) => outcome)).toEqual([...last, WRITE.outcome]);
      expect(await store.audit({ id: customer("2"), limit: 99 })).toHaveLength(1);
    });

    it("writes no attempt down that comes too late", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      await scene.store.end(claim, { kind: "release" });
      await expect(scene.store.end(claim, { kind: "retry", error: OOPS, dueAt: 0, audit: TRY })).rejects.toMatchObject({
        code: "E_CLAIM_LOST",
      });
      expect(await scene.store.audit({ limit: 9 })).toEqual([]);
    });

    it("counts no attempt for a wait", async () => {
      await using scene = await Scene.open(makePlace);
      const dueAt = scene.clock.now() + 1_000;
      await scene.store.end(await scene.claimed(customer("1")), { kind: "wait", error: OOPS, dueAt });
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "waiting", attempts: 0, dueAt });
      scene.clock.advance(1_000);
      expect((await scene.claim(customer("1"))).attempts).toBe(0);
    });

    it("leaves a wait without parents and time to events", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.end(await scene.claimed(customer("1")), { kind: "wait", error: OOPS });
      scene.clock.advance(1_000_000_000);
      expect(await scene.dueKeys()).toEqual([]);
      await scene.store.retryNow({ stream: "customers", states: ["waiting"] });
      expect(await scene.dueKeys()).toEqual(["1"]);
    });

    it.each(["park", "uncertain", "skip"] as const)("keeps the reason of %s and rests", async (step) => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(customer("1"));
      if (step === "park")
        await scene.store.end(claim, { kind: "park", error: OOPS, audit: { ...WRITE, action: "dropped" } });
      else if (step === "skip") await scene.store.end(claim, { kind: "skip", reason: OOPS.message });
      else {
        await scene.store.begin(claim, { resource: "customer", projection: {} });
        await scene.store.end(claim, { kind: "uncertain", error: OOPS });
      }
      const state = { park: "parked", uncertain: "uncertain", skip: "skipped" }[step];
      expect(await scene.store.record(customer("1"))).toMatchObject({ state, error: { message: OOPS.message } });
      expect(await scene.store.audit({ limit: 9 })).toHaveLength(step === "park" ? 1 : 0);
      scene.clock.advance(1_000_000_000);
      expect(await scene.dueKeys()).toEqual([]);
    });

    it("keeps the binding of a record that is skipped", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { v: 2 })]);
      await scene.store.end(await scene.claim(customer("1")), { kind: "skip", reason: "private customer" });
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "skipped", binding: { serviceId: 11 } });
    });

    it.each(["retry", "wait", "park", "uncertain", "skip", "remove", "release"] as const)(
      "makes the record due at once after %s when a newer change was staged, without attempts and error",
      async (step) => {
        await using scene = await Scene.open(makePlace);
        const { store } = scene;
        const later = scene.clock.now() + 1_000_000;
        const claim = await scene.claimed(customer("1"));
        if (step === "uncertain") await store.begin(claim, { resource: "customer", projection: {} });
        await scene.stage([upsert("1", { v: "newer" })]);
        if (step === "retry") await store.end(claim, { kind: "retry", error: OOPS, dueAt: later });
        else if (step === "wait") await store.end(claim, { kind: "wait", error: OOPS, dueAt: later });
        else if (step === "park") await store.end(claim, { kind: "park", error: OOPS });
        else if (step === "uncertain") await store.end(claim, { kind: "uncertain", error: OOPS });
        else if (step === "skip") await store.end(claim, { kind: "skip", reason: "no" });
        else if (step === "remove") await store.end(claim, { kind: "remove", unbind: true });
        else await store.end(claim, { kind: "release" });
        expect(await store.record(customer("1"))).toMatchObject({
          state: "due",
          attempts: 0,
          error: undefined,
          dueAt: scene.clock.now(),
        });
      },
    );
  });

  describe("deletions", () => {
    it("ends the binding when the service's record is gone too", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([deletion("1")]);
      const claim = await scene.claim(customer("1"));
      expect(claim).toMatchObject({ deleted: true, row: { name: "Name of 1" } });
      await scene.store.end(claim, { kind: "remove", unbind: true, audit: { ...WRITE, action: "delete" } });
      expect(await scene.store.record(customer("1"))).toMatchObject({
        state: "deleted",
        binding: undefined,
        applied: undefined,
      });
      expect(await scene.store.audit({ limit: 1 })).toMatchObject([{ action: "delete" }]);
      await scene.bound(customer("2"), 11);
    });

    it("keeps the binding and what was written for a record that comes back", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([deletion("1")]);
      await scene.store.end(await scene.claim(customer("1")), {
        kind: "remove",
        unbind: false,
        applied: { status: "inactive" },
      });
      await scene.stage([upsert("1")]);
      expect(await scene.claim(customer("1"))).toMatchObject({
        deleted: false,
        applied: { status: "inactive" },
        binding: { serviceId: 11 },
      });
    });

    it("keeps what is in doubt of a record that comes back", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([deletion("1")]);
      const claim = await scene.claim(customer("1"));
      await scene.store.markInFlight(claim, { kind: "update", fields: { name: null, status: null } });
      await scene.store.end(claim, {
        kind: "remove",
        unbind: false,
        applied: { status: "inactive" },
        inFlight: { kind: "update", fields: { name: null } },
      });
      await scene.stage([upsert("1")]);
      expect((await scene.claim(customer("1"))).inFlight).toEqual({ kind: "update", fields: { name: null } });
    });
  });
}
