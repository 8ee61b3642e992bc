import { describe, expect, it } from "vitest";
import type { RecordState } from "#model";
import { OOPS, Scene, contact, customer, upsert, written, type MakePlace } from "./store-scene.ts";

export function describePeople(makePlace: MakePlace): void {
  describe("answers", () => {
    it("binds an uncertain create to the id that a person found, and delivers what is missing", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), "uncertain");
      await scene.store.end(await scene.claimed(contact("1")), { kind: "wait", error: OOPS, parents: [customer("1")] });
      await scene.store.resolve(customer("1"), { kind: "bind", binding: { resource: "customers", serviceId: 11 } });
      expect(await scene.claim(customer("1"))).toMatchObject({ binding: { serviceId: 11 }, intent: undefined });
      expect(await scene.dueKeys("contacts")).toEqual(["1"]);
      expect(await scene.store.audit({ id: customer("1"), limit: 1 })).toMatchObject([
        { action: "resolve", outcome: "bind", resource: "customers", serviceId: 11 },
      ]);
    });

    it("hands the answer to create anew to the deliveries until the record is bound", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), "uncertain");
      await scene.store.resolve(customer("1"), { kind: "create" });
      const claim = await scene.claim(customer("1"));
      expect(claim).toMatchObject({ decision: { kind: "create" }, intent: undefined });
      await scene.store.end(claim, { kind: "retry", error: OOPS, dueAt: scene.clock.now() });
      const again = await scene.claim(customer("1"));
      expect(again.decision).toEqual({ kind: "create" });
      await scene.create(again, 11);
      await scene.stage([upsert("1", { v: 2 })]);
      expect((await scene.claim(customer("1"))).decision).toBeUndefined();
    });

    it("does not repeat the answer while the create that it allowed is open", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), "parked");
      await scene.store.resolve(customer("1"), { kind: "create" });
      const claim = await scene.claim(customer("1"));
      await scene.store.begin(claim, { resource: "customer", projection: {} });
      await scene.reopen();
      const again = await scene.claim(customer("1"));
      expect(again).toMatchObject({ decision: undefined, intent: { decided: true } });
      await scene.store.noteCreate(again, "absent");
      await scene.store.end(again, { kind: "release" });
      expect((await scene.claim(customer("1"))).decision).toEqual({ kind: "create" });
    });

    it("leaves a record out, and looks for its open create first if the ERP changes it", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), "uncertain");
      await scene.store.end(await scene.claimed(contact("1")), { kind: "wait", error: OOPS, parents: [customer("1")] });
      await scene.store.resolve(customer("1"), { kind: "skip" });
      expect(await scene.state(customer("1"))).toBe("skipped");
      expect(await scene.dueKeys("contacts")).toEqual(["1"]);
      await scene.stage([upsert("1", { v: 2 })]);
      expect((await scene.claim(customer("1"))).intent).toBeDefined();
    });

    it("binds a record that the service seemed not to have, and says why it was left out until then", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1", { v: 1 })]);
      await scene.store.end(await scene.claim(customer("1")), {
        kind: "skip",
        reason: "not there",
        code: "E_CREATE_NEVER",
      });
      expect(await scene.store.record(customer("1"))).toMatchObject({
        state: "skipped",
        error: { code: "E_CREATE_NEVER", message: "not there" },
      });
      await expect(scene.store.resolve(customer("1"), { kind: "create" })).rejects.toMatchObject({
        code: "E_NOT_RESOLVABLE",
      });
      await scene.store.resolve(customer("1"), { kind: "bind", binding: { resource: "customers", serviceId: 12 } });
      expect(await scene.claim(customer("1"))).toMatchObject({ binding: { serviceId: 12 } });
    });

    const settled: RecordState[] = ["applied", "skipped", "deleted"];
    it.each(settled)("refuses an answer for a record that is %s", async (state) => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), state);
      const answer = scene.store.resolve(customer("1"), { kind: "skip" });
      await expect(answer).rejects.toMatchObject({ family: "park", code: "E_NOT_RESOLVABLE", details: { state } });
    });

    it.each(["due", "waiting"] as const)("binds a record that is %s before its first delivery", async (state) => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), state);
      const binding = { resource: "customers", serviceId: 11 };
      await scene.store.resolve(customer("1"), { kind: "bind", binding });
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "due", binding });
    });

    it("creates a bound record again whose counterpart is gone: its binding ends first", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { v: 2 })]);
      await scene.store.end(await scene.claim(customer("1")), {
        kind: "park",
        error: {
          ...OOPS,
          code: "E_RECORD_GONE",
          message: 'no "a\0b"',
        },
      });
      await scene.store.resolve(customer("1"), { kind: "create" });
      expect(await scene.claim(customer("1"))).toMatchObject({ binding: undefined, decision: { kind: "create" } });
    });

    it("refuses an answer for an unknown record, an id that is taken, and a create of a bound one", async () => {
      await using scene = await Scene.open(makePlace);
      await expect(scene.store.resolve(customer("0"), { kind: "skip" })).rejects.toMatchObject({
        code: "E_RECORD_UNKNOWN",
      });
      await scene.bound(customer("1"), 11);
      await scene.inState(customer("2"), "uncertain");
      const taken = { kind: "bind", binding: { resource: "customers", serviceId: 11 } } as const;
      await expect(scene.store.resolve(customer("2"), taken)).rejects.toMatchObject({ code: "E_ALREADY_BOUND" });
      expect(await scene.store.record(customer("2"))).toMatchObject({ state: "uncertain", error: OOPS });
      expect((await scene.store.record(customer("2")))?.intent).toBeDefined();
      await scene.stage([upsert("1", { v: 2 })]);
      await scene.store.end(await scene.claim(customer("1")), { kind: "park", error: OOPS });
      await expect(scene.store.resolve(customer("1"), { kind: "create" })).rejects.toMatchObject({
        code: "E_NOT_RESOLVABLE",
      });
    });
  });

  describe("the end of a binding", () => {
    it("is told to every delivery until the record is bound again, whatever happens to it", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.store.resolve(customer("1"), { kind: "unbind" });
      expect(await scene.store.audit({ id: customer("1"), limit: 1 })).toMatchObject([
        { action: "unbind", outcome: "unbound", serviceId: 11 },
      ]);
      const claim = await scene.claim(customer("1"));
      expect(claim).toMatchObject({ binding: undefined, applied: undefined, decision: { kind: "unbound" } });
      await scene.store.end(claim, { kind: "park", error: OOPS });
      await scene.stage([upsert("1", { v: 2 })]);
      await scene.reopen();
      const changed = await scene.claim(customer("1"));
      expect(changed.decision).toEqual({ kind: "unbound" });
      await scene.store.end(changed, { kind: "skip", reason: "not wanted" });
      await scene.stage([upsert("1", { v: 3 })]);
      await scene.store.end(await scene.claim(customer("1")), { kind: "park", error: OOPS });
      await scene.store.resolve(customer("1"), { kind: "skip" });
      await scene.stage([upsert("1", { v: 4 })]);
      const again = await scene.claim(customer("1"));
      expect(again.decision).toEqual({ kind: "unbound" });
      await scene.store.end(again, { kind: "park", error: OOPS });
      await scene.store.resolve(customer("1"), { kind: "bind", binding: { resource: "customers", serviceId: 12 } });
      expect(await scene.claim(customer("1"))).toMatchObject({ binding: { serviceId: 12 }, decision: undefined });
    });

    it("is refused for a record that is not bound, unknown or being delivered", async () => {
      await using scene = await Scene.open(makePlace);
      const unbind = { kind: "unbind" } as const;
      await expect(scene.store.resolve(customer("0"), unbind)).rejects.toMatchObject({ code: "E_RECORD_UNKNOWN" });
      await scene.inState(customer("22"), "parked");
      await expect(scene.store.resolve(customer("22"), unbind)).rejects.toMatchObject({ code: "E_NOT_RESOLVABLE" });
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { v: 2 })]);
      await scene.claim(customer("1"));
      await expect(scene.store.resolve(customer("1"), unbind)).rejects.toMatchObject({ code: "E_NOT_RESOLVABLE" });
    });
  });

  describe("another try", () => {
    const standing: RecordState[] = ["parked", "uncertain", "waiting", "skipped"];
    it.each(standing)("makes a record that is %s due again", async (state) => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), state);
      expect(await scene.store.retryNow({ stream: "customers", key: "1", states: standing })).toBe(1);
      expect(await scene.store.record(customer("1"))).toMatchObject({ state: "due", attempts: 0, error: undefined });
      expect(await scene.dueKeys()).toEqual(["1"]);
    });

    it("takes only the states and the records that were asked for", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), "parked");
      await scene.inState(customer("2"), "skipped");
      await scene.inState(contact("1"), "parked");
      expect(await scene.store.retryNow({ stream: "customers", states: ["parked"] })).toBe(1);
      expect(await scene.dueKeys("customers", "contacts")).toEqual(["1"]);
      expect(await scene.store.retryNow({ states: ["parked", "skipped"] })).toBe(2);
    });

    it("leaves applied, deleted and claimed records alone", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), "applied");
      await scene.inState(customer("22"), "deleted");
      await scene.claimed(customer("333"));
      expect(await scene.store.retryNow({ states: ["applied", "deleted", "claimed"] })).toBe(0);
    });

    it("ends the pause of a failed record", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.store.end(await scene.claimed(customer("1")), {
        kind: "retry",
        error: OOPS,
        dueAt: scene.clock.now() + 99_999,
      });
      expect(await scene.store.retryNow({ stream: "customers", states: ["due"] })).toBe(1);
      expect(await scene.dueKeys()).toEqual(["1"]);
    });
  });

  describe("a recheck", () => {
    it("puts the fields in doubt that differ in the service and makes the record due, after live changes", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      expect(await scene.store.recheck(customer("1"), { name: "B" })).toBe(true);
      expect(await scene.store.due({ limit: 9, streams: ["customers"] })).toMatchObject([
        { id: customer("1"), backfill: true },
      ]);
      expect(await scene.claim(customer("1"))).toMatchObject({
        inFlight: { kind: "drift", fields: { name: "B" } },
        applied: { name: "Name of 1" },
      });
    });

    it("makes a deleted record due while it is bound, and else changes nothing", async () => {
      await using scene = await Scene.open(makePlace);
      for (const [key, unbind] of [
        ["1", false],
        ["2", true],
      ] as const) {
        await scene.bound(customer(key), Number(key));
        await scene.stage([upsert(key, { v: 2 })]);
        await scene.store.end(await scene.claim(customer(key)), { kind: "remove", unbind });
        expect(await scene.store.recheck(customer(key), { name: "B" })).toBe(!unbind);
      }
      expect(await scene.claim(customer("1"))).toMatchObject({ inFlight: { kind: "drift", fields: { name: "B" } } });
      expect((await scene.store.record(customer("2")))?.state).toBe("deleted");
    });

    const others: RecordState[] = ["due", "waiting", "parked", "uncertain", "skipped", "claimed"];
    it.each(others)("changes nothing for a record that is %s", async (state) => {
      await using scene = await Scene.open(makePlace);
      await scene.bound(customer("1"), 11);
      await scene.stage([upsert("1", { v: 2 })]);
      const claim = await scene.claim(customer("1"));
      if (state === "due") await scene.store.end(claim, { kind: "release" });
      else if (state === "waiting") await scene.store.end(claim, { kind: "wait", error: OOPS });
      else if (state === "parked") await scene.store.end(claim, { kind: "park", error: OOPS });
      else if (state === "skipped") await scene.store.end(claim, { kind: "skip", reason: "no" });
      else if (state === "uncertain") await scene.inState(customer("2"), "uncertain");
      const id = customer(state === "uncertain" ? "2" : "1");
      const before = await scene.store.record(id);
      expect(before?.state).toBe(state);
      expect(await scene.store.recheck(id, { name: "B" })).toBe(false);
      expect(await scene.store.record(id)).toEqual(before);
    });

    it("changes nothing for an unknown record", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.store.recheck(customer("0"), {})).toBe(false);
    });
  });

  describe("lists", () => {
    it("shows records in key order, page by page, over all streams", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("b"), upsert("a"), upsert("Ä"), upsert("\u{1F600}"), upsert("\uFFFD")]);
      await scene.stage([upsert("z"), upsert("y")], { stream: "contacts" });
      const seen: string[] = [];
      let page = await scene.store.records({ limit: 3 });
      while (page.length > 0) {
        seen.push(...page.map(({ id }) => `${id.stream}/${id.key}`));
        page = await scene.store.records({ limit: 3, after: page.at(-1)!.id });
      }
      const customers = ["a", "b", "Ä", "\uFFFD", "\u{1F600}"].map((key) => `customers/${key}`);
      expect(seen).toEqual(["contacts/y", "contacts/z", ...customers]);
    });

    it("shows only the states that were asked for", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.inState(customer("1"), "parked");
      await scene.inState(customer("2"), "skipped");
      await scene.inState(customer("3"), "parked");
      await scene.stage([upsert("4")]);
      const keys = async (states: RecordState[], limit = 9) =>
        (await scene.store.records({ stream: "customers", states, limit })).map(({ id }) => id.key);
      expect(await keys(["parked"])).toEqual(["1", "3"]);
      expect(await keys(["parked", "skipped"])).toEqual(["1", "2", "3"]);
      expect(await keys(["parked", "skipped"], 2)).toEqual(["1", "2"]);
      expect(await keys([])).toEqual([]);
      await scene.inState(customer("5"), "applied");
      await scene.stage([upsert("5", { name: "again" })]);
      const due = { stream: "customers", states: ["due"] as const, limit: 9 };
      expect((await scene.store.records(due)).map(({ id }) => id.key)).toEqual(["4", "5"]);
      expect((await scene.store.records({ ...due, unbound: true })).map(({ id }) => id.key)).toEqual(["4"]);
    });

    it("counts records per stream and state", async () => {
      await using scene = await Scene.open(makePlace);
      expect(await scene.store.counts()).toEqual(new Map());
      await scene.inState(customer("1"), "parked");
      await scene.inState(customer("2"), "parked");
      await scene.bound(contact("1"), 21);
      expect(await scene.store.counts()).toEqual(
        new Map([
          ["contacts", { applied: 1 }],
          ["customers", { parked: 2 }],
        ]),
      );
      expect(await scene.store.counts(["parked", "waiting"])).toEqual(new Map([["customers", { parked: 2 }]]));
      expect(await scene.store.counts([])).toEqual(new Map());
    });
  });

  describe("the audit trail", () => {
    it("shows the latest entries first, of one record or of all, and prunes by age", async () => {
      await using scene = await Scene.open(makePlace);
      const entry = {
        action: "update",
        resource: "customers",
        outcome: "updated",
        before: { a: 1 },
        after: null,
      } as const;
      await scene.bound(customer("1"), 11);
      await scene.bound(customer("2"), 12);
      for (const key of ["1", "2", "1"]) {
        scene.clock.advance(10);
        await scene.stage([upsert(key, { at: scene.clock.now() })]);
        const audit = { ...entry, status: 200, durationMs: 1.5 };
        await scene.store.end(await scene.claim(customer(key)), { kind: "apply", applied: written({}, [], { audit }) });
      }
      const all = await scene.store.audit({ limit: 2 });
      expect(all.map(({ id }) => id.key)).toEqual(["1", "2"]);
      expect(all[0]).toEqual({
        ...entry,
        at: scene.clock.now(),
        id: customer("1"),
        serviceId: undefined,
        status: 200,
        durationMs: 1.5,
      });
      expect(await scene.store.audit({ id: customer("1"), limit: 9 })).toHaveLength(2);
      expect(await scene.store.prune("audit", scene.clock.now())).toBe(2);
      expect(await scene.store.audit({ limit: 9 })).toHaveLength(1);
    });

    it("counts the rows of its tables", async () => {
      await using scene = await Scene.open(makePlace);
      await scene.stage([upsert("1")]);
      const before = await scene.store.tableCounts();
      await scene.store.acts.save(
        "customers",
        { action: "reread", outcome: "read again" },
        { name: "anna", via: "cli" },
      );
      const after = await scene.store.tableCounts();
      const grown = Object.keys(after).filter((name) => after[name] !== before[name]);
      expect(grown.map((name) => after[name]! - (before[name] ?? 0))).toEqual([1]);
    });
  });
}
