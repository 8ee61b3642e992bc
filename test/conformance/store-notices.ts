import { describe, expect, it } from "vitest";
import type { Notice, NoticeEvent } from "#store";
import { customer, OOPS, Scene, type MakePlace } from "./store-scene.ts";

function notice(id: string, more: Partial<Notice> = {}): Notice {
  const facts = { kind: "held", severity: "problem", title: `${id} is held`, affected: id } as const;
  return { id, ...facts, firstSeenAt: 1, grewAt: 1, ...more };
}

const begun = (id: string): NoticeEvent => ({ change: "begun", at: 2, notice: notice(id) });

/** What people were told, and what they wrote down about causes. */
export function describeNotices(makePlace: MakePlace): void {
  describe("notices", () => {
    it("changes notices and queues events in one step, and keeps both over a restart", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.notices.saveNotices({ changed: [notice("a"), notice("b")], ended: [], events: [] });
      const told = { at: 2, times: 1, count: 3, severity: "problem" } as const;
      await scene.store.notices.saveNotices({
        changed: [notice("a", { told })],
        ended: ["b"],
        events: [
          { channel: "email", event: begun("a") },
          { channel: "chat", event: begun("a") },
          { channel: "email", event: begun("b") },
        ],
      });
      await scene.reopen();
      const { notices } = scene.store;
      expect(await notices.notices()).toMatchObject([{ id: "a", told: { times: 1, count: 3 } }]);
      const queued = await notices.queuedEvents("email");
      expect(queued.map(({ event }) => event.notice.id)).toEqual(["a", "b"]);
      await notices.deliveredEvents("email", queued[0]!.number);
      expect((await notices.queuedEvents("email")).map(({ number }) => number)).toEqual([queued[1]!.number]);
      expect(await notices.queuedEvents("chat")).toHaveLength(1);
    });

    it("never uses the number of an event again", async () => {
      await using scene = await Scene.open(makePlace);
      const { notices } = scene.store;
      const queue = () =>
        notices.saveNotices({ changed: [], ended: [], events: [{ channel: "email", event: begun("a") }] });
      await queue();
      const [first] = await notices.queuedEvents("email");
      await notices.deliveredEvents("email", first!.number);
      await queue();
      const [second] = await notices.queuedEvents("email");
      expect(second!.number).toBeGreaterThan(first!.number);
    });

    it("remembers how each channel is doing and counts what waits for it", async () => {
      await using scene = await Scene.open(makePlace);
      const { notices } = scene.store;
      await notices.saveChannel({ name: "email", failure: { since: 1, attempts: 2, message: "no" } });
      await notices.saveChannel({ name: "chat", deliveredAt: 5 });
      await notices.saveNotices({ changed: [], ended: [], events: [{ channel: "email", event: begun("a") }] });
      await notices.saveChannel({ name: "chat", deliveredAt: 7 });
      expect(await notices.channels()).toEqual([
        { name: "chat", deliveredAt: 7, waiting: 0 },
        { name: "email", failure: { since: 1, attempts: 2, message: "no" }, waiting: 1 },
      ]);
    });
  });

  describe("groups", () => {
    it("lists held records with their errors alone, a page at a time", async () => {
      await using scene = await Scene.open(makePlace);
      for (const key of ["3", "1"]) await scene.inState(customer(key), "parked");
      await scene.inState(customer("2"), "applied");
      const query = { stream: "customers", state: "parked" } as const;
      const first = await scene.store.groups.held({ ...query, limit: 1 });
      expect(first).toEqual([{ id: customer("1"), state: "parked", error: OOPS }]);
      const rest = await scene.store.groups.held({ ...query, after: "1", limit: 10 });
      expect(rest.map(({ id }) => id.key)).toEqual(["3"]);
    });

    it("keeps the note of a group until it is forgotten", async () => {
      await using scene = await Scene.open(makePlace);
      const by = { name: "anna", via: "cli" } as const;
      const note = { note: "ask Anna", owner: "anna", snooze: { until: 9, count: 4 }, by, at: 1 };
      await scene.store.groups.saveGroupNote("aaaa", note);
      await scene.store.groups.saveGroupNote("bbbb", { owner: "ben", by, at: 2 });
      await scene.store.groups.saveGroupNote("bbbb", undefined);
      await scene.reopen();
      expect([...(await scene.store.groups.groupNotes())]).toEqual([["aaaa", note]]);
    });
  });
}
