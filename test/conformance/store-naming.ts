import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Actor } from "#model";
import { Scene, contact, customer, upsert, type MakePlace } from "./store-scene.ts";

const anna: Actor = { name: "anna", via: "cli", why: "the shop is called otherwise" };
const client = (key: string) => ({ stream: "clients", key });

/** A note of a stream, as the pipeline defines them. */
const twins = (stream: string) => ({
  name: `twins/${stream}`,
  schema: z.array(z.object({ stream: z.string(), key: z.string() })),
  isOfNames: true as const,
});
const dropped = (stream: string) => ({ name: `dropped/${stream}/name`, schema: z.number() });
const index = (resource: string) => ({ name: `match-index/${resource}`, schema: z.number() });

function refused(message: string): unknown {
  return expect.objectContaining({ code: "E_RENAME_REFUSED", message: expect.stringContaining(message) });
}

export function describeNaming(makePlace: MakePlace): void {
  describe("a stream that is renamed", () => {
    it("keeps records, bindings, history, position and notes under its new name", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.inState(customer("2"), "parked");
      await scene.inState(customer("3"), "uncertain");
      await scene.stage([upsert("4")], { cursor: { at: 77 } });
      const { store } = scene;
      await store.acts.pause(["customers"], { since: 1, until: 9_000_000_000_000, polls: true, by: anna });
      const before = await store.audit({ id: customer("1"), limit: 10 });
      await store.renameStream("customers", "clients", anna);
      await scene.reopen();

      expect(await scene.store.storedStreams()).toEqual(["clients"]);
      expect(await scene.store.acts.pauseOf("clients")).toMatchObject({ polls: true });
      expect(await scene.store.record(customer("1"))).toBeUndefined();
      expect(await scene.store.record(client("1"))).toMatchObject({
        binding: { resource: "customers", serviceId: 11 },
      });
      expect(await scene.store.boundTo({ resource: "customers", serviceId: 11 })).toEqual(client("1"));
      expect(await scene.state(client("2"))).toBe("parked");
      expect(await scene.state(client("3"))).toBe("uncertain");
      expect(await scene.dueKeys("clients")).toEqual(["4"]);
      expect(await scene.dueKeys("customers")).toEqual([]);
      expect(await scene.store.stream("clients")).toEqual(expect.objectContaining({ cursor: { at: 77 } }));
      expect(await scene.store.stream("customers")).toMatchObject({ cursor: null });
      const after = await scene.store.audit({ id: client("1"), limit: 10 });
      expect(after.map(({ action, at }) => [action, at])).toEqual(before.map(({ action, at }) => [action, at]));
      expect(await scene.store.audit({ limit: 1 })).toMatchObject([
        { id: client(""), action: "rename", outcome: "customers to clients, 4 records", by: anna },
      ]);
    });

    it("stays the parent of its children, and wakes those that wait for it", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.bound(contact("1"), 21, [customer("1")]);
      await scene.stage([upsert("2")]);
      const error = { code: "E_PARENT_MISSING" as const, message: "no parent", details: {} };
      await scene.store.end(await scene.claimed(contact("2")), { kind: "wait", error, parents: [customer("2")] });
      // A child that was mapped by the new file, before the records had their new name.
      await scene.store.end(await scene.claimed(contact("3")), { kind: "wait", error, parents: [client("1")] });
      expect(await scene.dueKeys("contacts")).toEqual([]);
      await scene.store.renameStream("customers", "clients", anna);

      expect(await scene.store.children(client("1"), "bound")).toEqual([contact("1")]);
      expect(await scene.dueKeys("contacts")).toEqual(["3"]);
      await scene.create(await scene.claim(client("2")), 12);
      expect(await scene.dueKeys("contacts")).toEqual(["2", "3"]);
    });

    it("takes its notes along, but not those of a resource of that name", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      const { store } = scene;
      await store.saveNote(twins("customers"), [{ stream: "customers", key: "1" }]);
      await store.saveNote(dropped("customers"), 7);
      await store.saveNote(dropped("clients"), 8);
      await store.saveNote(index("customers"), 9);
      await store.renameStream("customers", "clients", anna);
      expect(await store.note(twins("clients"))).toEqual([{ stream: "clients", key: "1" }]);
      expect(await store.note(twins("customers"))).toBeUndefined();
      expect(await store.note(dropped("clients"))).toBe(7);
      expect(await store.note(index("customers"))).toBe(9);
      expect(await store.note(index("clients"))).toBeUndefined();
    });

    it("replaces what was stored for the new name without a record", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")], { cursor: { at: 1 } });
      await scene.stage([], { stream: "clients", cursor: { at: 2 } });
      await scene.store.renameStream("customers", "clients", anna);
      expect(await scene.store.stream("clients")).toMatchObject({ cursor: { at: 1 } });
    });

    it("is refused if the new name has records, or the store has none of the old name", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1")], { stream: "clients" });
      await expect(scene.store.renameStream("customers", "clients", anna)).rejects.toThrow(
        refused("clients already has 1 record"),
      );
      await expect(scene.store.renameStream("tickets", "cases", anna)).rejects.toThrow(refused("no record of it"));
      expect(await scene.store.storedStreams()).toEqual(["clients", "customers"]);
      expect(await scene.store.storedStream("customers")).toEqual({ records: 1, bound: { customers: 1 } });
    });
  });
}
