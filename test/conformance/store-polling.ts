import { describe, expect, it } from "vitest";
import type { RecordState } from "#model";
import { OOPS, Scene, customer, deletion, upsert, written, type MakePlace } from "./store-scene.ts";

export function describePolling(makePlace: MakePlace): void {
  describe("polling", () => {
    it("has no cursor and awaits a first load before the first poll", async () => {
      await using scene = await Scene.open(makePlace);
      const nothing = {
        deletionCursor: null,
        sequence: 0,
        polledAt: undefined,
        completedAt: undefined,
        rowsRead: 0,
        error: undefined,
      };
      expect(await scene.store.stream("customers")).toEqual({ ...nothing, cursor: null, firstLoad: true });
    });

    it("stores changes and cursor together", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.stage([upsert("1"), upsert("2")], { cursor: { page: 1 } })).toEqual({
        changed: 2,
        unchanged: 0,
      });
      await scene.reopen();
      expect((await scene.store.stream("customers")).cursor).toEqual({ page: 1 });
      expect(await scene.dueKeys()).toEqual(["1", "2"]);
    });

    it("drops a row whose content hash is what the store has, whatever the order of its columns", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1", { a: 1, b: 2 })]);
      expect(await scene.stage([upsert("1", { b: 2, a: 1 })])).toEqual({ changed: 0, unchanged: 1 });
    });

    it("gives every real change the stream's next sequence", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1"), upsert("2")]);
      await scene.stage([upsert("1", { name: "new" }), upsert("2")]);
      expect((await scene.store.record(customer("2")))?.sequence).toBe(2);
      expect((await scene.store.record(customer("1")))?.sequence).toBe(3);
    });

    it("gives each of new, odd and changed rows in one batch its own sequence and its own row", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1"), upsert("2")]);
      const keys = ["3", "1", "4\0", "5", "2", "|6"];
      const changes = [...keys.map((key) => upsert(key, { name: `row of ${key}` })), deletion("7")];
      const unreadable = [{ key: "8", error: OOPS }];
      expect(await scene.stage(changes, { unreadable })).toEqual({ changed: 7, unchanged: 0 });
      expect(await scene.stage(changes, { unreadable })).toEqual({ changed: 0, unchanged: 7 });
      const records = await Promise.all([...keys, "8"].map((key) => scene.store.record(customer(key))));
      expect(records.map((record) => record?.row)).toEqual([...keys.map((key) => ({ name: `row of ${key}` })), {}]);
      expect(records.map((record) => record!.sequence).toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6, 7, 8, 9]);
      expect((await scene.store.stream("customers")).sequence).toBe(9);
    });

    it("finds what differs in a batch whose keys ascend, among records of which it says nothing", async () => {
      await using scene = await Scene.open(makePlace);
      const keys = Array.from({ length: 20 }, (_, at) => `k${at + 10}`);
      // Databases compare these two in another order than JavaScript does.
      const odd = ["\u{1F600}", "\uFB00"];
      await scene.stage([...keys, ...odd].map((key) => upsert(key)));
      await scene.stage([upsert("k19a")], { stream: "suppliers" });
      await scene.stage([deletion("k15")], { unreadable: [{ key: "k16", error: OOPS }] });
      const rest = keys.filter((key) => !["k11", "k12", "k21"].includes(key));
      const news = [...rest, "k19a", ...odd].toSorted();
      const changes = news.map((key) => upsert(key, key === "k25" || key === odd[1] ? { name: "new" } : undefined));
      // k15 and k16 are back, k19a is new, k25 and the last one have another row.
      expect(await scene.stage(changes)).toEqual({ changed: 5, unchanged: news.length - 5 });
      expect(await scene.stage(changes)).toEqual({ changed: 0, unchanged: news.length });
      expect((await scene.store.record(customer("k25")))?.row).toEqual({ name: "new" });
    });

    it("lets the later of two changes of one key in a batch win", async () => {
      await using scene = await Scene.open(makePlace);
      const changes = [upsert("1", { v: 1 }), upsert("2"), upsert("1", { v: 2 })];
      expect(await scene.stage(changes)).toEqual({ changed: 2, unchanged: 0 });
      expect((await scene.store.record(customer("1")))?.row).toEqual({ v: 2 });
    });

    it("drops a deletion of an unknown key", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.stage([deletion("9")])).toEqual({ changed: 0, unchanged: 0 });
      expect(await scene.store.record(customer("9"))).toBeUndefined();
    });

    it("keeps the last row of a record that the ERP deleted", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1", { v: 1 })]);
      expect(await scene.stage([deletion("1")])).toEqual({ changed: 1, unchanged: 0 });
      expect(await scene.stage([deletion("1")])).toEqual({ changed: 0, unchanged: 1 });
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "due", deleted: true, row: { v: 1 } });
    });

    it("gives a record that comes back its old binding, even with the row it had before", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([deletion("1")]);
      await scene.store.end(await scene.claim(customer("1")), { kind: "remove", unbind: false });
      expect(await scene.state(customer("1"))).toBe("deleted");
      await scene.stage([upsert("1")]);
      const back = await scene.claim(customer("1"));
      expect(back).toMatchObject({ deleted: false, binding: { resource: "customers", serviceId: 11 } });
    });

    it("keeps the last readable row of a record whose row cannot be read, and tells every claim", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1", { v: 1 })]);
      expect(await scene.stage([], { unreadable: [{ key: "1", error: OOPS }] })).toEqual({ changed: 1, unchanged: 0 });
      await scene.reopen();
      expect(await scene.stage([], { unreadable: [{ key: "1", error: OOPS }] })).toEqual({ changed: 0, unchanged: 1 });
      const view = await scene.store.record(customer("1"));
      expect(view).toMatchObject({ state: "due", row: { v: 1 }, error: OOPS, unreadable: OOPS });
      const claim = await scene.claim(customer("1"));
      expect(claim).toMatchObject({ row: { v: 1 }, unreadable: OOPS });
      await scene.store.end(claim, { kind: "park", error: OOPS });
      await scene.store.retryNow({ states: ["parked"] });
      expect((await scene.claim(customer("1"))).unreadable).toEqual(OOPS);
    });

    it("knows a record of which no row could be read yet", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")], { unreadable: [{ key: "2", error: OOPS }] });
      expect(await scene.dueKeys()).toEqual(["1", "2"]);
      expect(await scene.store.record(customer("2"))).toMatchObject({ row: {}, unreadable: OOPS });
    });

    it.each([upsert("1", { v: 1 }), deletion("1")])("can read a record again when the ERP says $kind", async (news) => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1", { v: 1 })]);
      await scene.stage([], { unreadable: [{ key: "1", error: OOPS }] });
      expect(await scene.stage([news])).toEqual({ changed: 1, unchanged: 0 });
      const view = await scene.store.record(customer("1"));
      expect(view).toMatchObject({ unreadable: undefined, error: undefined, deleted: news.kind === "delete" });
    });

    const resting: RecordState[] = ["due", "waiting", "applied", "parked", "uncertain", "skipped", "deleted"];
    it.each(resting)("makes a record that is %s due on a real change, without attempts and error", async (state) => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), state);
      await scene.stage([upsert("1", { name: "new" })]);
      const record = await scene.store.record(customer("1"));
      expect(record).toMatchObject({ state: "due", attempts: 0, error: undefined, row: { name: "new" } });
      expect(record?.intent !== undefined).toBe(state === "uncertain");
      expect(await scene.dueKeys()).toEqual(["1"]);
    });

    it("ends the pause of a failed record on a real change", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.end(await scene.claimed(customer("1")), {
        kind: "retry",
        error: OOPS,
        dueAt: scene.clock.now() + 3_600_000,
      });
      expect(await scene.dueKeys()).toEqual([]);
      await scene.stage([upsert("1", { name: "new" })]);
      expect(await scene.dueKeys()).toEqual(["1"]);
      expect((await scene.claim(customer("1"))).attempts).toBe(0);
    });

    it("leaves a claimed record to its worker, whose step then makes it due", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { v: 2 })]);
      const claim = await scene.claim(customer("1"));
      await scene.stage([upsert("1", { v: 3 })]);
      expect(await scene.state(customer("1"))).toBe("claimed");
      expect(await scene.dueKeys()).toEqual([]);
      await scene.store.end(claim, { kind: "apply", applied: written({ v: 2 }) });
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "due", sequence: 3, appliedSequence: 2 });
      expect((await scene.claim(customer("1"))).row).toEqual({ v: 3 });
    });

    it("counts the rows of the poll that runs, and knows when one was complete", async () => {
      await using scene = await Scene.open(makePlace);
      const firstAt = scene.clock.now();
      await scene.stage([upsert("1"), upsert("2")], { complete: false, backfill: true });
      expect(await scene.store.stream("customers")).toMatchObject({ rowsRead: 2, polledAt: firstAt, firstLoad: true });
      scene.clock.advance(10);
      await scene.stage([upsert("3")], { backfill: true });
      expect(await scene.store.stream("customers")).toMatchObject({
        rowsRead: 3,
        polledAt: firstAt + 10,
        completedAt: firstAt + 10,
        firstLoad: false,
      });
      await scene.stage([upsert("3")], { complete: false });
      expect(await scene.store.stream("customers")).toMatchObject({ rowsRead: 1, firstLoad: false });
    });

    it("notes that a poll failed, keeps the cursor, and clears the note with the next stage", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")], { cursor: 7 });
      await scene.store.pollFailed("customers", OOPS);
      const failed = await scene.store.stream("customers");
      expect(failed).toMatchObject({ cursor: 7, error: { ...OOPS, at: scene.clock.now() } });
      await scene.stage([], { cursor: 8 });
      expect(await scene.store.stream("customers")).toMatchObject({ cursor: 8, error: undefined });
    });

    it("notes a failure of a stream that was never polled", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.pollFailed("customers", OOPS);
      expect((await scene.store.stream("customers")).error?.code).toBe("E_INTERNAL");
    });

    it("stores a batch of the deletion feed together with that feed's cursor, and leaves the polls' facts", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1"), upsert("2")], { cursor: 7, backfill: true, complete: false });
      await scene.store.pollFailed("customers", OOPS);
      const before = await scene.store.stream("customers");
      scene.clock.advance(10);
      const batch = { changes: [deletion("1"), deletion("unknown")], cursor: { deletedUntil: 3 } };
      expect(await scene.store.stageDeletions("customers", batch)).toMatchObject({ changed: 1 });
      await scene.reopen();
      expect(await scene.store.stream("customers")).toEqual({
        ...before,
        deletionCursor: { deletedUntil: 3 },
        sequence: 3,
      });
      expect(await scene.store.record(customer("1"))).toMatchObject({ deleted: true, sequence: 3 });
      await scene.store.resetCursor("customers");
      expect((await scene.store.stream("customers")).deletionCursor).toEqual({ deletedUntil: 3 });
    });

    it("stores rows that were read by their keys, and moves no cursor", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")], { cursor: 7, backfill: true, complete: false });
      const before = await scene.store.stream("customers");
      const read = { changes: [upsert("1", { v: 2 }), upsert("2")], since: before.sequence };
      expect(await scene.store.stageRead("customers", read)).toEqual({ changed: 2, unchanged: 0 });
      expect(await scene.store.stream("customers")).toEqual({ ...before, sequence: 3 });
      expect(await scene.dueKeys()).toEqual(["1", "2"]);
    });

    it("keeps what a poll brought while a row was read by its key", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1", { v: 1 }), upsert("2", { v: 1 })]);
      const { sequence: since } = await scene.store.stream("customers");
      await scene.stage([upsert("1", { v: 2 }), upsert("3", { v: 2 })]);
      const changes = [upsert("1", { v: 1 }), deletion("2"), deletion("3")];
      expect(await scene.store.stageRead("customers", { changes, since })).toMatchObject({ changed: 1 });
      expect((await scene.claim(customer("1"))).row).toEqual({ v: 2 });
      expect(await scene.store.record(customer("2"))).toMatchObject({ deleted: true });
      expect(await scene.store.record(customer("3"))).toMatchObject({ deleted: false });
    });

    it("forgets the cursor, and rows that did not change fall out by hash", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")]);
      await scene.store.resetCursor("customers");
      expect((await scene.store.stream("customers")).cursor).toBeNull();
      expect(await scene.stage([upsert("1")])).toEqual({ changed: 0, unchanged: 1 });
    });

    it("keeps streams apart", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")], { cursor: "a" });
      await scene.stage([upsert("1", { other: true })], { stream: "contacts", cursor: "b" });
      expect((await scene.store.stream("customers")).cursor).toBe("a");
      expect((await scene.store.record(customer("1")))?.row).toEqual({ name: "Name of 1" });
    });
  });
}
