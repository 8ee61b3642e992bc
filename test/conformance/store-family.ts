import { describe, expect, it } from "vitest";
import { recordLabel, type RecordId } from "#model";
import { OOPS, Scene, contact, customer, deletion, upsert, written, type MakePlace } from "./store-scene.ts";

/** Leaves a contact waiting for these customers. */
async function waitFor(scene: Scene, child: RecordId, ...parents: RecordId[]): Promise<void> {
  await scene.store.end(await scene.claimed(child), { kind: "wait", error: OOPS, parents });
}

export function describeFamily(makePlace: MakePlace): void {
  describe("parents and children", () => {
    it("names records whose keys hold any character, where one waits and where an id is taken", async () => {
      await using scene = await Scene.open(makePlace);
      const odd = customer("\0a\u0001");
      const { store } = scene;
      await store.end(await scene.claimed(contact("1")), { kind: "wait", error: OOPS, parents: [odd] });
      expect((await store.record(contact("1")))?.waitsFor).toEqual([odd]);
      await scene.bound(odd, 7);
      const taken = scene.create(await scene.claimed(customer("2")), 7);
      await expect(taken).rejects.toMatchObject({ code: "E_ALREADY_BOUND", details: { boundTo: recordLabel(odd) } });
    });

    it("wakes the children in the transaction that binds their parent, and names them", async () => {
      await using scene = await Scene.open(makePlace);
      await waitFor(scene, contact("1"), customer("1"));
      await waitFor(scene, contact("2"), customer("2"));
      expect((await scene.store.record(contact("1")))?.waitsFor).toEqual([customer("1")]);
      const claim = await scene.claimed(customer("1"));
      expect(await scene.create(claim, 11)).toEqual([contact("1")]);
      expect(await scene.dueKeys("contacts")).toEqual(["1"]);
      expect((await scene.store.record(contact("1")))?.waitsFor).toEqual([]);
      expect(await scene.state(contact("2"))).toBe("waiting");
    });

    it("wakes the children of a record that is left out or deleted: their reference may be optional", async () => {
      await using scene = await Scene.open(makePlace);
      await waitFor(scene, contact("1"), customer("1"));
      await waitFor(scene, contact("2"), customer("2"));
      await scene.store.end(await scene.claimed(customer("1")), { kind: "skip", reason: "private customer" });
      expect(await scene.dueKeys("contacts")).toEqual(["1"]);
      await scene.store.end(await scene.claimed(customer("2")), { kind: "remove", unbind: true });
      expect(await scene.dueKeys("contacts")).toEqual(["1", "2"]);
    });

    it("makes a wait due at once whose optional parent was given up meanwhile", async () => {
      await using scene = await Scene.open(makePlace);
      const [parent, other] = [customer("1"), customer("2")];
      await scene.store.end(await scene.claimed(parent), { kind: "skip", reason: "private customer" });
      await scene.store.end(await scene.claimed(contact("1")), {
        kind: "wait",
        error: OOPS,
        parents: [parent],
        optional: [parent],
      });
      expect(await scene.state(contact("1"))).toBe("due");
      await scene.store.end(await scene.claimed(contact("2")), {
        kind: "wait",
        error: OOPS,
        parents: [parent, other],
        optional: [other],
      });
      expect(await scene.state(contact("2"))).toBe("waiting");
      await scene.store.end(await scene.claimed(other), { kind: "remove", unbind: true });
      await scene.store.end(await scene.claimed(contact("3")), {
        kind: "wait",
        error: OOPS,
        parents: [other],
        optional: [other],
      });
      expect(await scene.state(contact("3"))).toBe("due");
    });

    it("keeps the attempts of a child that waited", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.end(await scene.claimed(contact("1")), {
        kind: "retry",
        error: OOPS,
        dueAt: scene.clock.now(),
      });
      await scene.store.end(await scene.claim(contact("1")), { kind: "wait", error: OOPS, parents: [customer("1")] });
      await scene.bound(customer("1"), 11);
      expect((await scene.claim(contact("1"))).attempts).toBe(1);
    });

    it("makes a wait whose parent has been bound meanwhile due at once", async () => {
      await using scene = await Scene.open(makePlace);
      const claim = await scene.claimed(contact("1"));
      await scene.bound(customer("1"), 11);
      const later = scene.clock.now() + 1_000_000;
      await scene.store.end(claim, { kind: "wait", error: OOPS, parents: [customer("1")], dueAt: later });
      expect(await scene.dueKeys("contacts")).toEqual(["1"]);
      expect((await scene.store.record(contact("1")))?.attempts).toBe(0);
    });

    it("never misses a parent that is bound while a child goes to wait", async () => {
      await using scene = await Scene.open(makePlace);
      for (let round = 0; round < 50; round++) {
        const [child, parent] = [contact(`c${round}`), customer(`p${round}`)];
        const childClaim = await scene.claimed(child);
        const parentClaim = await scene.claimed(parent);
        const steps = [
          () => scene.store.end(childClaim, { kind: "wait", error: OOPS, parents: [parent] }),
          () => scene.create(parentClaim, 100 + round),
        ];
        await Promise.all((round % 2 ? steps : steps.toReversed()).map((step) => step()));
        expect(await scene.state(child)).toBe("due");
      }
    });

    it("knows parents that it has never seen", async () => {
      await using scene = await Scene.open(makePlace);
      await waitFor(scene, contact("1"), customer("late"), customer("never"));
      await scene.bound(customer("late"), 11);
      expect(await scene.dueKeys("contacts")).toEqual(["1"]);
    });

    it("forgets whom a record waited for before", async () => {
      await using scene = await Scene.open(makePlace);
      await waitFor(scene, contact("1"), customer("1"));
      await scene.stage([upsert("1", { moved: true })], { stream: "contacts" });
      await scene.store.end(await scene.claim(contact("1")), { kind: "wait", error: OOPS, parents: [customer("2")] });
      await scene.bound(customer("1"), 11);
      expect(await scene.state(contact("1"))).toBe("waiting");
      expect((await scene.store.record(contact("1")))?.waitsFor).toEqual([customer("2")]);
    });

    it("makes the records due whose projection carries the service id of a parent that was bound anew", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.bound(contact("1"), 21, [customer("1")]);
      await scene.bound(contact("2"), 22, []);
      await scene.stage([upsert("1", { v: 2 })]);
      const claim = await scene.claim(customer("1"));
      await scene.store.unbind(claim, { action: "settle", resource: "customers", outcome: "gone" });
      expect(await scene.create(claim, 12)).toEqual([contact("1")]);
      expect(await scene.dueKeys("contacts")).toEqual(["1"]);
    });

    it("makes a claimed child of such a parent due when its claim ends", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.bound(contact("1"), 21, [customer("1")]);
      await scene.stage([upsert("1", { v: 2 })], { stream: "contacts" });
      const child = await scene.claim(contact("1"));
      await scene.stage([upsert("1", { v: 2 })]);
      const parent = await scene.claim(customer("1"));
      await scene.store.end(parent, {
        kind: "bind",
        binding: { resource: "customers", serviceId: 12 },
        applied: written({}),
      });
      await scene.store.end(child, { kind: "apply", applied: written({ customer: 11 }, [customer("1")]) });
      expect(await scene.state(contact("1"))).toBe("due");
    });

    it("leaves the children alone when a parent is bound to what it was bound to", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.bound(contact("1"), 21, [customer("1")]);
      await scene.stage([upsert("1", { v: 2 })]);
      const claim = await scene.claim(customer("1"));
      expect(
        await scene.store.end(claim, {
          kind: "bind",
          binding: { resource: "customers", serviceId: 11 },
          applied: written({}),
        }),
      ).toEqual([]);
      expect(await scene.state(contact("1"))).toBe("applied");
    });

    it("makes a record due again whose projection carries an id that its parent no longer has, be it a first delivery", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      const child = await scene.claimed(contact("1"));
      await scene.store.begin(child, { resource: "contacts", projection: {} });
      await scene.stage([upsert("1", { v: 2 })]);
      const moving = await scene.claim(customer("1"));
      await scene.store.end(moving, {
        kind: "bind",
        binding: { resource: "customers", serviceId: 12 },
        applied: written({}),
      });
      const used = [{ ...customer("1"), serviceId: 11 }];
      await scene.store.end(child, {
        kind: "bind",
        binding: { resource: "contacts", serviceId: 21 },
        applied: written({ customer: 11 }, used),
      });
      expect(await scene.state(contact("1"))).toBe("due");
      const now = [{ ...customer("1"), serviceId: 12 }];
      await scene.store.end(await scene.claim(contact("1")), {
        kind: "apply",
        applied: written({ customer: 12 }, now),
      });
      expect(await scene.state(contact("1"))).toBe("applied");
    });

    it("makes a record due again that was written without a parent which has come meanwhile", async () => {
      await using scene = await Scene.open(makePlace);
      const child = await scene.claimed(contact("1"));
      await scene.store.begin(child, { resource: "contacts", projection: {} });
      await scene.bound(customer("1"), 11);
      const used = [{ ...customer("1"), serviceId: null }];
      await scene.store.end(child, {
        kind: "bind",
        binding: { resource: "contacts", serviceId: 21 },
        applied: written({ customer: null }, used),
      });
      expect(await scene.state(contact("1"))).toBe("due");
    });

    it("wakes a deleted parent when the last of its bound children goes, and not before", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      for (const key of ["1", "2", "3"]) await scene.bound(contact(key), 20 + Number(key), [customer("1")]);
      await scene.stage([deletion("1")]);
      await scene.store.end(await scene.claim(customer("1")), { kind: "wait", error: OOPS });
      await scene.stage([deletion("1"), deletion("2")], { stream: "contacts" });
      await scene.store.end(await scene.claim(contact("1")), { kind: "remove", unbind: true });
      await scene.store.end(await scene.claim(contact("2")), { kind: "remove", unbind: false });
      expect(await scene.state(customer("1"))).toBe("waiting");
      await scene.stage([upsert("3", { moved: true })], { stream: "contacts" });
      await scene.store.end(await scene.claim(contact("3")), { kind: "apply", applied: written({}, []) });
      expect(await scene.state(customer("1"))).toBe("due");
    });

    it("does not let a deleted parent miss its last child when both are in hand", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.bound(contact("1"), 21, [customer("1")]);
      await scene.stage([deletion("1")]);
      await scene.stage([deletion("1")], { stream: "contacts" });
      const parent = await scene.claim(customer("1"));
      await scene.store.end(await scene.claim(contact("1")), { kind: "remove", unbind: true });
      await scene.store.end(parent, { kind: "wait", error: OOPS });
      expect(await scene.state(customer("1"))).toBe("due");
    });

    it("takes a record that is its own parent for no child of itself", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11, [customer("1")]);
      expect(await scene.store.children(customer("1"), "bound")).toEqual([]);
    });

    it("foretells the records that become due when their parent is bound", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(contact("1"), 21, [customer("1")]);
      await scene.bound(contact("2"), 22, [customer("2")]);
      expect(await scene.store.children(customer("1"), "dependent")).toEqual([contact("1")]);
      expect(await scene.store.children(customer("3"), "dependent")).toEqual([]);
      await scene.stage([upsert("1", { name: "newer" })], { stream: "contacts" });
      await scene.claim(contact("1"));
      expect(await scene.store.children(customer("1"), "dependent")).toEqual([]);
    });

    it("names the records that wait for a parent", async () => {
      await using scene = await Scene.open(makePlace);
      await waitFor(scene, contact("1"), customer("1"), customer("2"));
      await waitFor(scene, contact("2"), customer("2"));
      expect(await scene.store.children(customer("1"), "waiting")).toEqual([contact("1")]);
      await scene.stage([upsert("1", { name: "newer" })], { stream: "contacts" });
      expect(await scene.store.children(customer("1"), "waiting")).toEqual([]);
    });

    it("names the bound children that a parent's deletion waits for", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.bound(contact("1"), 21, [customer("1")]);
      await scene.bound(contact("2"), 22, [customer("1")]);
      await scene.bound(contact("other"), 23, []);
      await scene.stage([deletion("1")], { stream: "contacts" });
      expect(await scene.store.children(customer("1"), "bound")).toEqual([contact("1"), contact("2")]);
      await scene.store.end(await scene.claim(contact("1")), { kind: "remove", unbind: true });
      expect(await scene.store.children(customer("1"), "bound")).toEqual([contact("2")]);
      await scene.stage([upsert("2", { moved: true })], { stream: "contacts" });
      await scene.store.end(await scene.claim(contact("2")), { kind: "apply", applied: written({}, []) });
      expect(await scene.store.children(customer("1"), "bound")).toEqual([]);
    });
  });
}
