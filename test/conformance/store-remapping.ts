import { describe, expect, it } from "vitest";
import { OOPS, Scene, customer, deletion, upsert, written, type MakePlace } from "./store-scene.ts";

export function describeRemapping(makePlace: MakePlace): void {
  describe("remapping", () => {
    it("makes nothing due on the first fingerprint of a stream", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      expect(await scene.store.remap("customers", "a")).toBe(0);
      expect(await scene.store.remap("customers", "a")).toBe(0);
      expect(await scene.state(customer("1"))).toBe("applied");
    });

    it("makes every record of the stream due when the fingerprint differs, once", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.remap("customers", "a");
      await scene.bound(customer("1"), 11);
      for (const state of ["waiting", "parked", "uncertain", "skipped"] as const)
        await scene.inState(customer(state), state);
      await scene.stage([upsert("1")], { stream: "contacts" });
      await scene.store.end(await scene.claim({ stream: "contacts", key: "1" }), { kind: "skip", reason: "no" });
      expect(await scene.store.remap("customers", "b")).toBe(5);
      expect(await scene.store.remap("customers", "b")).toBe(0);
      expect((await scene.dueKeys("customers", "contacts")).toSorted()).toEqual([
        "1",
        "parked",
        "skipped",
        "uncertain",
        "waiting",
      ]);
    });

    it("remembers the fingerprint", async () => {
      await using scene = await Scene.open(makePlace);
      expect((await scene.store.stream("customers")).fingerprint).toBeUndefined();
      await scene.store.remap("customers", "a");
      await scene.store.remap("customers", "b");
      await scene.reopen();
      expect((await scene.store.stream("customers")).fingerprint).toBe("b");
    });

    it("lets live changes overtake what it made due", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.remap("customers", "a");
      await scene.bound(customer("1"), 11);
      await scene.store.remap("customers", "b");
      scene.clock.advance(5);
      await scene.stage([upsert("2")]);
      expect(await scene.store.due({ limit: 9, streams: ["customers"] })).toMatchObject([
        { id: customer("2"), backfill: false },
        { id: customer("1"), backfill: true },
      ]);
    });

    it("takes attempts and error from what stood still", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.remap("customers", "a");
      await scene.store.end(await scene.claimed(customer("1")), {
        kind: "retry",
        error: OOPS,
        dueAt: scene.clock.now(),
      });
      await scene.store.end(await scene.claim(customer("1")), { kind: "park", error: OOPS });
      await scene.store.remap("customers", "b");
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "due", attempts: 0, error: undefined });
    });

    it("leaves deleted records as they are", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.remap("customers", "a");
      await scene.bound(customer("1"), 11);
      await scene.stage([deletion("1")]);
      await scene.store.end(await scene.claim(customer("1")), { kind: "remove", unbind: true });
      expect(await scene.store.remap("customers", "b")).toBe(0);
      expect(await scene.state(customer("1"))).toBe("deleted");
    });

    it("makes a claimed record due when its claim ends", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.remap("customers", "a");
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { v: 2 })]);
      const claim = await scene.claim(customer("1"));
      expect(await scene.store.remap("customers", "b")).toBe(1);
      expect(await scene.state(customer("1"))).toBe("claimed");
      await scene.store.end(claim, { kind: "apply", applied: written({ v: 2 }) });
      expect(await scene.dueKeys()).toEqual(["1"]);
    });

    it("ends the pause of a failed record", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.remap("customers", "a");
      await scene.store.end(await scene.claimed(customer("1")), {
        kind: "retry",
        error: OOPS,
        dueAt: scene.clock.now() + 99_999,
      });
      expect(await scene.store.remap("customers", "b")).toBe(1);
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "due", attempts: 0, error: undefined });
      expect(await scene.dueKeys()).toEqual(["1"]);
    });
  });
}
