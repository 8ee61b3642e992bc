import { describe, expect, it } from "vitest";
import type { Key } from "#model";
import { Scene, customer, deletion, upsert, type MakePlace } from "./store-scene.ts";

async function sweep(scene: Scene, ...seen: Key[]) {
  const number = await scene.store.beginSweep("customers");
  await scene.store.markSeen("customers", number, seen);
  return scene.store.endSweep("customers", number);
}

export function describeSweeps(makePlace: MakePlace): void {
  describe("sweeps", () => {
    it("suspects a record that one sweep missed, and confirms it when the next misses it too", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1"), upsert("2"), upsert("3")]);
      expect(await sweep(scene, "1", "2", "3")).toEqual({ suspects: 0, confirmed: [] });
      expect(await sweep(scene, "1")).toEqual({ suspects: 2, confirmed: [] });
      expect(await sweep(scene, "1", "2")).toEqual({ suspects: 0, confirmed: ["3"] });
    });

    it("clears a suspect that is seen again", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")]);
      await sweep(scene);
      await sweep(scene, "1");
      expect(await sweep(scene)).toEqual({ suspects: 1, confirmed: [] });
    });

    it("suspects a record anew that changed after a sweep missed it, and is missed again", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")]);
      await sweep(scene);
      await scene.stage([upsert("1", { v: 2 })]);
      expect(await sweep(scene)).toEqual({ suspects: 1, confirmed: [] });
      expect(await sweep(scene)).toEqual({ suspects: 0, confirmed: ["1"] });
    });

    it("stages nothing, and confirms again until the deletion is staged", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await sweep(scene);
      expect((await sweep(scene)).confirmed).toEqual(["1"]);
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "applied", deleted: false });
      expect((await sweep(scene)).confirmed).toEqual(["1"]);
      await scene.stage([deletion("1")]);
      expect(await sweep(scene)).toEqual({ suspects: 0, confirmed: [] });
    });

    it("takes a change that is staged meanwhile as a sign of life", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("old"), upsert("touched")]);
      await sweep(scene, "old");
      const number = await scene.store.beginSweep("customers");
      await scene.stage([upsert("touched", { v: 2 }), upsert("new")]);
      await scene.store.markSeen("customers", number, ["old"]);
      expect(await scene.store.endSweep("customers", number)).toEqual({ suspects: 0, confirmed: [] });
    });

    it("forgets the marks of a sweep that was not finished", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1"), upsert("2")]);
      const unfinished = await scene.store.beginSweep("customers");
      await scene.store.markSeen("customers", unfinished, ["1", "2"]);
      await scene.reopen();
      expect(await sweep(scene, "1")).toEqual({ suspects: 1, confirmed: [] });
    });

    it("refuses marks and the end of a sweep that is over or was replaced", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")]);
      const first = await scene.store.beginSweep("customers");
      const second = await scene.store.beginSweep("customers");
      const lost = { family: "retry", code: "E_SWEEP_LOST" };
      await expect(scene.store.markSeen("customers", first, ["1"])).rejects.toMatchObject(lost);
      await expect(scene.store.endSweep("customers", first)).rejects.toMatchObject(lost);
      await scene.store.endSweep("customers", second);
      await expect(scene.store.endSweep("customers", second)).rejects.toMatchObject(lost);
    });

    it("keeps the sweeps of two streams apart", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")]);
      await scene.stage([upsert("1")], { stream: "contacts" });
      const contacts = await scene.store.beginSweep("contacts");
      await sweep(scene);
      await scene.store.markSeen("contacts", contacts, ["1"]);
      expect(await scene.store.endSweep("contacts", contacts)).toEqual({ suspects: 0, confirmed: [] });
      expect((await sweep(scene)).confirmed).toEqual(["1"]);
    });
  });
}
