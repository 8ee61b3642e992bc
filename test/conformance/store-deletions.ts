import { describe, expect, it } from "vitest";
import { Scene, customer, deletion, OOPS, upsert, type MakePlace } from "./store-scene.ts";

const DAY_MS = 86_400_000;
const always = { since: 0, confirmedAt: 0, limit: 100 };

/** Tells of the deletion of a record, which then waits. */
async function tell(scene: Scene, key: string, query = always) {
  const claim = await scene.claim(customer(key));
  const told = await scene.store.announceDeletion(claim, query);
  await scene.store.end(claim, { kind: "wait", error: OOPS, dueAt: scene.clock.now() });
  return told;
}

/** Records that the ERP deleted. */
async function deleted(makePlace: MakePlace, ...keys: string[]): Promise<Scene> {
  const scene = await Scene.open(makePlace);
  await scene.stage(keys.map((key) => upsert(key)));
  await scene.stage(keys.map((key) => deletion(key)));
  return scene;
}

export function describeDeletions(makePlace: MakePlace): void {
  describe("deletions", () => {
    it("are counted when they are told of, up to the limit", async () => {
      await using scene = await deleted(makePlace, "1", "2", "3");
      const query = { ...always, limit: 2 };
      expect(await tell(scene, "1", query)).toMatchObject({ count: 1, isCounted: false });
      expect(await tell(scene, "2", query)).toMatchObject({ count: 2, isCounted: false });
      expect(await tell(scene, "3", query)).toMatchObject({ count: 2, isCounted: true });
      expect(await scene.store.deletionCount("customers", always)).toBe(3);
    });

    it("count nothing for one that was told of before the confirmation", async () => {
      await using scene = await deleted(makePlace, "1", "2");
      const { toldAt } = await tell(scene, "1");
      scene.clock.advance(1);
      await tell(scene, "2");
      const query = { ...always, confirmedAt: toldAt };
      expect(await tell(scene, "1", query)).toEqual({ toldAt, count: 0, isCounted: true });
      expect(await tell(scene, "2", query)).toMatchObject({ toldAt: toldAt + 1, count: 1 });
    });

    it("begin again when the ERP shows the record meanwhile", async () => {
      await using scene = await deleted(makePlace, "1");
      const { toldAt } = await tell(scene, "1");
      scene.clock.advance(1);
      await scene.stage([upsert("1", { v: 2 })]);
      expect(await scene.store.openDeletions("customers", 9)).toEqual({ count: 0, examples: [] });
      await scene.store.end(await scene.claim(customer("1")), { kind: "park", error: OOPS });
      await scene.stage([deletion("1")]);
      expect(await tell(scene, "1", { ...always, confirmedAt: toldAt })).toMatchObject({
        toldAt: toldAt + 1,
        count: 1,
      });
    });

    it("are no longer told of once a person leaves the record out", async () => {
      await using scene = await deleted(makePlace, "1");
      const { toldAt } = await tell(scene, "1");
      scene.clock.advance(1);
      await scene.store.resolve(customer("1"), { kind: "skip" });
      for (const fingerprint of ["one", "two"]) await scene.store.remap("customers", fingerprint);
      expect(await tell(scene, "1", { ...always, confirmedAt: toldAt })).toMatchObject({
        toldAt: toldAt + 1,
        count: 1,
      });
    });

    it("are forgotten after a while when they were carried out, and not before", async () => {
      await using scene = await deleted(makePlace, "1", "2");
      const { store, clock } = scene;
      await tell(scene, "1");
      await tell(scene, "2");
      await store.end(await scene.claim(customer("1")), { kind: "remove", unbind: true });
      const toldAt = clock.now();
      clock.advance(DAY_MS);
      expect(await store.prune("deletions", toldAt)).toBe(0);
      expect(await store.deletionCount("customers", always)).toBe(2);
      expect(await store.prune("deletions", toldAt + 1)).toBe(1);
      expect(await store.deletionCount("customers", always)).toBe(1);
      expect(await store.openDeletions("customers", 9)).toEqual({ count: 1, examples: ["2"] });
    });
  });
}
