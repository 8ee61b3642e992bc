import { describe, expect, it } from "vitest";
import type { Actor } from "#model";
import { Scene, customer, upsert, type MakePlace } from "./store-scene.ts";

const anna: Actor = { name: "anna", via: "cli", why: "ERP upgrade" };
const MINUTE_MS = 60_000;

export function describeActs(makePlace: MakePlace): void {
  describe("what people did", () => {
    it("is in the history of each record that they tried again or answered, with who and why", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), "parked");
      await scene.inState(customer("2"), "parked");
      await scene.stage([upsert("3")]);
      expect(await scene.store.retryNow({ stream: "customers", states: ["parked"] }, anna)).toBe(2);
      for (const key of ["1", "2"])
        expect(await scene.store.audit({ id: customer(key), limit: 1 })).toMatchObject([{ action: "retry", by: anna }]);
      expect(await scene.store.audit({ id: customer("3"), limit: 1 })).toEqual([]);

      await scene.store.resolve(customer("3"), { kind: "skip" }, { name: "ben", via: "page" });
      expect(await scene.store.audit({ id: customer("3"), limit: 1 })).toMatchObject([
        { action: "resolve", outcome: "skip", by: { name: "ben", via: "page", why: undefined } },
      ]);
    });

    it("to a stream is in the audit trail, under an empty key", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.acts.save("customers", { action: "reread", outcome: "from the beginning" }, anna);
      expect(await scene.store.audit({ limit: 1 })).toMatchObject([
        { id: { stream: "customers", key: "" }, action: "reread", outcome: "from the beginning", by: anna },
      ]);
    });
  });

  describe("recent acts", () => {
    it("are those of people, newest first, as many alike ones within a minute as one", async () => {
      await using scene = await Scene.open(makePlace);
      const { store, clock } = scene;
      for (const key of ["1", "2", "3"]) await scene.inState(customer(key), "parked");
      const since = clock.now();
      const at = since + MINUTE_MS - (since % MINUTE_MS);
      clock.advance(at - since);
      await store.acts.save("customers", { action: "reread", outcome: "from the beginning" }, anna);
      await store.retryNow({ stream: "customers", states: ["parked"] }, anna);
      clock.advance(MINUTE_MS);
      await store.resolve(customer("2"), { kind: "skip" }, { name: "ben", via: "page" });
      await store.acts.save("contacts", { action: "deletions", outcome: "confirmed 3 of 9" }, anna);

      const acts = await store.acts.recent({ since, limit: 9 });
      expect(acts).toMatchObject([
        { stream: "contacts", key: "", count: 1, action: "deletions", outcome: "confirmed 3 of 9", by: anna },
        { stream: "customers", key: "2", count: 1, action: "resolve", outcome: "skip", by: { name: "ben" } },
        { stream: "customers", key: "1", count: 3, action: "retry", at, by: anna },
        { stream: "customers", key: "", count: 1, action: "reread", by: anna },
      ]);
      expect(await store.acts.recent({ since, limit: 2 })).toEqual(acts.slice(0, 2));
      expect(await store.acts.recent({ since, limit: 9, stream: "contacts" })).toEqual(acts.slice(0, 1));
      expect(await store.acts.recent({ since: at + MINUTE_MS, limit: 9 })).toEqual(acts.slice(0, 2));
    });

    it("are one each on a stream, however alike and close together", async () => {
      await using scene = await Scene.open(makePlace);
      const { store, clock } = scene;
      const note = { action: "note", outcome: "group 0a1b2c3d: note" } as const;
      await store.acts.save("contacts", note, anna);
      await store.acts.save("contacts", note, anna);
      const acts = await store.acts.recent({ since: clock.now(), limit: 9 });
      expect(acts.map(({ key, count }) => [key, count])).toEqual([
        ["", 1],
        ["", 1],
      ]);
    });
  });

  describe("a pause", () => {
    it("holds until its time, over a restart, and is in the audit trail", async () => {
      await using scene = await Scene.open(makePlace);
      const since = scene.clock.now();
      const pause = { since, until: since + MINUTE_MS, polls: true, by: anna };
      await scene.store.acts.pause(["customers"], pause);
      await scene.reopen();
      expect(await scene.store.acts.pauseOf("customers")).toEqual(pause);
      expect(await scene.store.acts.pauseOf("contacts")).toBeUndefined();
      expect(await scene.store.audit({ limit: 1 })).toMatchObject([{ action: "pause", by: anna }]);
      expect(await scene.store.acts.resume(["customers"], pause.until, anna)).toEqual([]);
    });

    it("is replaced by a later one, and ended by a person", async () => {
      await using scene = await Scene.open(makePlace);
      const since = scene.clock.now();
      await scene.store.acts.pause(["customers"], { since, until: since + MINUTE_MS, polls: true, by: anna });
      const longer = { since, until: since + 2 * MINUTE_MS, polls: false, by: anna };
      await scene.store.acts.pause(["customers"], longer);
      expect(await scene.store.acts.pauseOf("customers")).toEqual(longer);
      expect(await scene.store.acts.resume(["customers", "contacts"], since, anna)).toEqual(["customers"]);
      expect(await scene.store.acts.pauseOf("customers")).toBeUndefined();
      expect(await scene.store.acts.resume(["customers"], since, anna)).toEqual([]);
      expect(await scene.store.audit({ limit: 1 })).toMatchObject([{ action: "resume", by: anna }]);
    });
  });
}
