import { describe, expect, it } from "vitest";
import { contact, customer, OOPS, Scene, upsert, written, type MakePlace } from "./store-scene.ts";

/** How old what is on its way is. */
export function describeFreshness(makePlace: MakePlace): void {
  describe("the age of changes on their way", () => {
    it("is that of the oldest live change, until it is written", async () => {
      await using scene = await Scene.open(makePlace);
      const { store, clock } = scene;
      expect(await store.undeliveredSince("customers")).toBeUndefined();
      const firstAt = clock.now();
      await scene.stage([upsert("1")]);
      clock.advance(1_000);
      await scene.stage([upsert("2")]);
      expect(await store.undeliveredSince("customers")).toBe(firstAt);
      const claim = await scene.claim(customer("1"));
      expect(claim.changedAt).toBe(firstAt);
      await store.end(claim, { kind: "retry", error: OOPS, dueAt: clock.now() + 60_000 });
      expect(await store.undeliveredSince("customers")).toBe(firstAt);
      clock.advance(60_000);
      await scene.create(await scene.claim(customer("1")), 1);
      expect(await store.undeliveredSince("customers")).toBe(firstAt + 1_000);
      expect(await store.undeliveredSince("contacts")).toBeUndefined();
    });

    it("counts again once the ERP has changed what waited for a parent", async () => {
      await using scene = await Scene.open(makePlace);
      const { store, clock } = scene;
      await store.end(await scene.claimed(contact("1")), { kind: "wait", error: OOPS, parents: [customer("none")] });
      clock.advance(1_000);
      await scene.stage([upsert("1", { customer: null })], { stream: "contacts" });
      const changedAt = clock.now();
      await store.end(await scene.claim(contact("1")), { kind: "retry", error: OOPS, dueAt: clock.now() + 60_000 });
      expect(await store.undeliveredSince("contacts")).toBe(changedAt);
    });

    it("counts neither a first load, nor what waits for a parent or a person, nor what is only mapped again", async () => {
      await using scene = await Scene.open(makePlace);
      const { store } = scene;
      await scene.stage([upsert("first")], { backfill: true });
      await scene.inState(customer("parked"), "parked");
      const child = await scene.claimed(contact("1"));
      await store.end(child, { kind: "wait", error: OOPS, parents: [customer("none")], dueAt: scene.clock.now() + 1 });
      await scene.bound(customer("bound"), 7);
      await store.remap("customers", "one");
      await store.remap("customers", "two");
      expect(await store.undeliveredSince("customers")).toBeUndefined();
      expect(await store.undeliveredSince("contacts")).toBeUndefined();
      const again = await scene.claim(customer("bound"));
      expect(again.changedAt).toBeUndefined();
      await store.end(again, { kind: "apply", applied: written({ name: "N" }) });
    });
  });
}
