import { describe, expect, it } from "vitest";
import type { Actor, RecordId } from "#model";
import { forgottenError, isForgotten, type WatchedExchange, type Notice } from "#store";
import { OOPS, Scene, customer, contact, deletion, upsert, written, type MakePlace } from "./store-scene.ts";

const anna: Actor = { name: "anna", via: "cli", why: "request 17" };
const MINUTE_MS = 60_000;

export function describePrivacy(makePlace: MakePlace): void {
  describe("a record that is forgotten", () => {
    it("keeps its key, its binding and the facts of its history, and nothing of its contents", async () => {
      await using scene = await Scene.open(makePlace);
      const id = customer("1");
      await scene.bound(id, 11);
      await scene.stage([upsert("1", { name: "Erna Muster" })]);
      const attempt = { action: "attempt", resource: "customers", outcome: "Erna Muster is too long" } as const;
      await scene.store.end(await scene.claim(id), {
        kind: "retry",
        error: OOPS,
        dueAt: scene.clock.now(),
        audit: attempt,
      });
      const audit = {
        action: "update",
        resource: "customers",
        serviceId: 11,
        before: { name: "Erna" },
        after: { name: "Erna Muster" },
        outcome: "updated",
        status: 200,
        by: { ...anna, why: "Erna Muster called" },
      } as const;
      await scene.store.end(await scene.claim(id), {
        kind: "apply",
        applied: written({ name: "Erna Muster" }, [], { audit }),
      });
      await scene.store.beginMatches("customers");
      await scene.store.saveMatches("customers", [{ serviceId: 11, keys: { name: "erna muster" } }]);
      await scene.store.watches.watch({ id, until: scene.clock.now() + MINUTE_MS, by: anna });
      await scene.store.watches.saveExchange(id, exchange(scene.clock.now()), 5);

      await scene.store.privacy.forget(id, anna);
      const view = await scene.store.record(id);
      expect(view).toMatchObject({
        state: "skipped",
        row: {},
        applied: undefined,
        error: { code: "E_SKIPPED", message: forgottenError.message },
        unreadable: forgottenError,
        binding: { resource: "customers", serviceId: 11 },
      });
      expect(await scene.store.matches("customers", "name", "erna muster")).toEqual([]);
      expect(await scene.store.watches.watches(scene.clock.now())).toEqual([]);
      expect(await scene.store.watches.exchanges(id)).toEqual([]);
      const history = await scene.store.audit({ id, limit: 9 });
      expect(history.slice(0, 3)).toMatchObject([
        { action: "forget", resource: "customers", serviceId: 11, outcome: "forgotten", by: anna },
        { action: "watch", by: { name: "anna", why: undefined } },
        { action: "update", before: undefined, after: undefined, status: 200, by: { name: "anna", why: undefined } },
      ]);
      expect(JSON.stringify([view, history])).not.toContain("Erna");
      await expect(scene.store.privacy.forget(id, anna)).resolves.toBeUndefined();
    });

    it("is changed by whatever the ERP shows next, on its old binding, be it the same row", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.store.privacy.forget(customer("1"), anna);
      expect(await scene.store.due({ limit: 9, streams: ["customers"] })).toEqual([]);
      expect(await scene.stage([upsert("1")])).toEqual({ changed: 1, unchanged: 0 });
      const claim = await scene.claim(customer("1"));
      expect(claim).toMatchObject({ binding: { serviceId: 11 }, applied: undefined, row: { name: "Name of 1" } });
      expect(isForgotten(claim)).toBe(false);
    });

    it("tells the deliveries of a changed mapping that there is nothing to deliver", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.store.remap("customers", "a");
      await scene.store.privacy.forget(customer("1"), anna);
      await scene.store.remap("customers", "b");
      expect(isForgotten(await scene.claim(customer("1")))).toBe(true);
    });

    it("is deleted when the ERP says so, on its old binding", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.store.privacy.forget(customer("1"), anna);
      await scene.stage([deletion("1")]);
      const claim = await scene.claim(customer("1"));
      expect(claim).toMatchObject({ deleted: true, binding: { serviceId: 11 }, unreadable: undefined });
      await scene.store.end(claim, { kind: "remove", unbind: true });
      await scene.store.privacy.forget(customer("1"), anna);
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "deleted", error: undefined, row: {} });
    });

    it("loses the error that quotes it, and so do notices that name it; records that waited for it are woken", async () => {
      await using scene = await Scene.open(makePlace);
      const error = { ...OOPS, message: '"Erna\0\ud7ff\ud800" is not in map' };
      await scene.store.end(await scene.claimed(contact("1")), { kind: "wait", error: OOPS, parents: [customer("1")] });
      await scene.store.end(await scene.claimed(customer("1")), { kind: "park", error });
      const notice = noticeOf(customer("1"), error.message);
      const other = noticeOf(customer("2"), '"Otto" is not in map');
      const event = { change: "begun", at: 1, notice } as const;
      await scene.store.notices.saveNotices({
        changed: [notice, other],
        ended: [],
        events: [{ channel: "mail", event }],
      });
      await scene.store.privacy.forget(customer("1"), anna);
      const notices = await scene.store.notices.notices();
      expect(notices).toEqual([{ ...notice, cause: undefined }, other]);
      expect(JSON.stringify(await scene.store.notices.queuedEvents("mail"))).not.toContain("Erna");
      expect((await scene.store.record(customer("1")))?.error?.message).toBe(forgottenError.message);
      expect(await scene.dueKeys("contacts")).toEqual(["1"]);
    });

    it.each(["due", "claimed", "uncertain"] as const)("is not one that is %s", async (state) => {
      await using scene = await Scene.open(makePlace);
      const id = customer("1");
      if (state === "claimed") await scene.claimed(id);
      else await scene.inState(id, state);
      const before = await scene.store.record(id);
      await expect(scene.store.privacy.forget(id, anna)).rejects.toMatchObject({
        family: "park",
        code: "E_NOT_FORGETTABLE",
      });
      expect(await scene.store.record(id)).toEqual(before);
    });

    it("is not one that is unknown, whose deletion is parked, or whose last update has no known end", async () => {
      await using scene = await Scene.open(makePlace);
      await expect(scene.store.privacy.forget(customer("0"), anna)).rejects.toMatchObject({ code: "E_RECORD_UNKNOWN" });
      await scene.bound(customer("1"), 11);
      await scene.stage([deletion("1")]);
      await scene.store.end(await scene.claim(customer("1")), { kind: "park", error: OOPS });
      await expect(scene.store.privacy.forget(customer("1"), anna)).rejects.toThrow("its deletion is still to be");
      await scene.bound(customer("2"), 12);
      await scene.stage([upsert("2", { v: 2 })]);
      const claim = await scene.claim(customer("2"));
      await scene.store.markInFlight(claim, { kind: "update", fields: { name: null } });
      await scene.store.end(claim, { kind: "park", error: OOPS });
      await expect(scene.store.privacy.forget(customer("2"), anna)).rejects.toThrow("the end of its last update");
      expect(await scene.store.audit({ limit: 9 })).toEqual([]);
    });
  });

  describe("a watch of a record", () => {
    it("holds until its time, over a restart, for a record that is not known yet, and is in its history", async () => {
      await using scene = await Scene.open(makePlace);
      const now = scene.clock.now();
      const watch = { id: customer("1"), until: now + MINUTE_MS, by: anna };
      await scene.store.watches.watch({ ...watch, until: now + 1 });
      await scene.store.watches.watch(watch);
      await scene.reopen();
      expect(await scene.store.watches.watches(now)).toEqual([watch]);
      expect(await scene.store.watches.watches(watch.until)).toEqual([]);
      expect(await scene.store.audit({ id: customer("1"), limit: 1 })).toMatchObject([{ action: "watch", by: anna }]);
    });

    it("keeps the newest exchanges of each record, newest first, until they are pruned", async () => {
      await using scene = await Scene.open(makePlace);
      const { watches } = scene.store;
      for (const at of [1, 2, 3]) await watches.saveExchange(customer("1"), exchange(at), 2);
      await watches.saveExchange(contact("1"), { at: 4, method: "GET", path: "/x", failure: "cut", durationMs: 2 }, 2);
      await scene.reopen();
      const kept = async (id: RecordId) => (await scene.store.watches.exchanges(id)).map(({ at }) => at);
      expect(await scene.store.watches.exchanges(customer("1"))).toEqual([exchange(3), exchange(2)]);
      expect(await kept(contact("1"))).toEqual([4]);
      expect(await scene.store.prune("exchanges", 4)).toBe(2);
      expect(await kept(customer("1"))).toEqual([]);
      expect(await kept(contact("1"))).toEqual([4]);
    });
  });
}

function exchange(at: number): WatchedExchange {
  const answer = '{"name":"Erna Muster"}';
  return { at, method: "PUT", path: "/restApi/v1/customer/11", sent: answer, status: 200, answer, durationMs: 1.5 };
}

function noticeOf({ stream, key }: RecordId, cause: string): Notice {
  return {
    id: `parked/${key}`,
    kind: "parked",
    severity: "problem",
    title: `${stream}: 1 record is parked`,
    cause,
    affected: `${stream}: ${key}`,
    firstSeenAt: 1,
    grewAt: 1,
  };
}
