import { describe, expect, it } from "vitest";
import type { Actor, Return, ReturnAnswer, ReturnLine, ReturnState } from "#model";
import { historyOf, type PreparedAs, type StoredReturn } from "#store";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { OOPS, Scene, type MakePlace, type StoreFeatures } from "./store-scene.ts";

const anna: Actor = { name: "anna", via: "cli", why: "looked" };
const OK: ReturnAnswer = { result: "ok", document: "R-1", message: undefined, at: 77 };
const NO: ReturnAnswer = { result: "refused", document: undefined, message: "no such order", at: 78 };
const prepared: PreparedAs = { state: "prepared" };
const held: PreparedAs = { state: "held", error: OOPS };

const line: ReturnLine = {
  kind: "time",
  id: 5,
  change: "added",
  amount: "1.5",
  amountBefore: null,
  fields: { article: "A" },
};
const gone: ReturnLine = { ...line, id: 6, change: "removed", amount: "0", amountBefore: "2" };

export function aReturn(subject: string, version = 1, more: Partial<Return> = {}): Return {
  return {
    stream: "reports",
    subject,
    version,
    kind: version === 1 ? "fact" : "correction",
    serviceId: 4711,
    replaces: version === 1 ? undefined : version - 1,
    hash: `hash ${version}`,
    content: { fields: { order_no: "A-1", total: "1.5" }, lines: [line] },
    ...more,
  };
}

/** Carries a return to this state. */
async function inState({ store: { returns }, clock }: Scene, item: Return, state: ReturnState): Promise<void> {
  if (state === "blocked") await returns.prepare(item, { state, error: OOPS, dueAt: clock.now() });
  else if (state === "held" || state === "withdrawn") await returns.prepare(item, held);
  else await returns.prepare(item, state === "seen" ? { state } : prepared);
  if (state === "withdrawn") await returns.decide(item, "withdraw", anna);
  if (state === "uncertain") await returns.ended(item, { kind: "uncertain", error: OOPS });
  if (state === "delivered" || state === "accepted" || state === "refused")
    await returns.ended(item, { kind: "delivered" });
  if (state === "accepted") await returns.answered(item, OK, false);
  if (state === "refused") await returns.answered(item, NO, false);
  expect((await returns.one(item))?.state).toBe(state);
}

const redact = (text: string) => text.replaceAll("s3cret", "***");
const names = (found: readonly StoredReturn[]) => found.map(({ subject, version }) => `${subject}/${version}`);

export function describeReturns(makePlace: MakePlace, { isOneProcess = false }: StoreFeatures): void {
  describe("the mark of a stream of returns", () => {
    it("is saved member by member, and keeps the others", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      expect(await returns.mark("reports")).toBeUndefined();
      await returns.saveMark("reports", { beginAt: 5, cursor: { at: [1, null] } });
      await returns.saveMark("states", { beginAt: 6 });
      await returns.saveMark("reports", { lookedAt: 7, error: { ...OOPS, at: 9 } });
      await returns.saveMark("reports", {});
      const known = { beginAt: 5, cursor: { at: [1, null] }, lookedAt: 7 };
      expect(await returns.mark("reports")).toEqual({ ...known, error: { ...OOPS, at: 9 } });
      await returns.saveMark("reports", { error: undefined, lookedAt: undefined });
      await scene.reopen();
      expect(await scene.store.returns.mark("reports")).toEqual({ beginAt: 5, cursor: { at: [1, null] } });
    });
  });

  describe("a return that is prepared", () => {
    it("is what was written down, after a restart too", async () => {
      await using scene = await Scene.open(makePlace);
      const item = aReturn("1");
      expect(await scene.store.returns.prepare(item, prepared)).toBe(true);
      await scene.reopen();
      expect(await scene.store.returns.one(item)).toEqual({
        ...item,
        state: "prepared",
        preparedAt: scene.clock.now(),
        dueAt: scene.clock.now(),
        deliveredAt: undefined,
        answer: undefined,
        following: undefined,
        attempts: 0,
        error: undefined,
        head: undefined,
      });
      expect(await scene.store.returns.one(aReturn("2"))).toBeUndefined();
    });

    it("keeps what a list showed of its record, and what one shows later", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await returns.prepare({ ...aReturn("1"), head: "one" }, prepared);
      await returns.prepare(aReturn("2"), prepared);
      expect((await returns.one(aReturn("1")))?.head).toBe("one");
      await returns.compared(aReturn("1"), "two");
      await scene.reopen();
      expect((await scene.store.returns.one(aReturn("1")))?.head).toBe("two");
      expect((await scene.store.returns.one(aReturn("2")))?.head).toBeUndefined();
    });

    it("is refused where the subject has this version, or a newer one, and nothing changes", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await inState(scene, aReturn("1", 3), "delivered");
      for (const version of [1, 3])
        expect(await returns.prepare(aReturn("1", version, { hash: "other" }), prepared)).toBe(false);
      expect(names(await returns.versions("reports", "1"))).toEqual(["1/3"]);
      expect(await returns.one(aReturn("1", 3))).toMatchObject({ state: "delivered", hash: "hash 3" });
      expect(await returns.prepare(aReturn("1", 4), prepared)).toBe(true);
      expect(names(await returns.versions("reports", "1"))).toEqual(["1/4", "1/3"]);
    });

    it("withdraws what waits before it, and nothing that was handed over", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await inState(scene, aReturn("1", 1), "accepted");
      await inState(scene, aReturn("1", 2), "held");
      await inState(scene, aReturn("2", 2), "held");
      await returns.prepare(aReturn("1", 1), prepared);
      expect((await returns.one(aReturn("1", 2)))?.state).toBe("held");
      await returns.prepare(aReturn("1", 3, { replaces: 1 }), prepared);
      const all = await returns.find({ limit: 9 });
      expect(all.map(({ subject, version, state }) => `${subject}/${version} ${state}`)).toEqual([
        "1/1 accepted",
        "1/2 withdrawn",
        "1/3 prepared",
        "2/2 held",
      ]);
    });

    it("does not come behind a version that a person sent meanwhile", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await inState(scene, aReturn("1", 1), "accepted");
      await inState(scene, aReturn("1", 2), "held");
      await returns.decide(aReturn("1", 2), "send", anna);
      const next = aReturn("1", 3, { replaces: 1 });
      for (const as of [prepared, held]) expect(await returns.prepare(next, as)).toBe(false);
      expect(names(await returns.versions("reports", "1"))).toEqual(["1/2", "1/1"]);
      expect(await returns.prepare({ ...next, replaces: 2 }, held)).toBe(true);
      expect((await returns.one(aReturn("1", 2)))?.state).toBe("prepared");
    });

    it("is superseded in one step by a version behind all others, and so is what waits behind it", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      const error = { ...OOPS, code: "E_RETURN_CONFLICT" } as const;
      await inState(scene, aReturn("1", 1), "accepted");
      await inState(scene, aReturn("1", 2), "prepared");
      await inState(scene, aReturn("1", 3), "prepared");
      await inState(scene, aReturn("1", 4), "held");
      await inState(scene, aReturn("2", 2), "prepared");
      const next = aReturn("1", 9, { replaces: 8, hash: "hash 4" });
      const states = async () =>
        (await returns.versions("reports", "1")).map(({ version, state }) => `${version} ${state}`);
      const before = await states();
      for (const version of [1, 4, 5])
        expect(await returns.supersede(aReturn("1", version), error, next, { state: "held", error })).toBe(false);
      const taken = aReturn("1", 4, { replaces: 3 });
      expect(await returns.supersede(aReturn("1", 2), error, taken, { state: "held", error })).toBe(false);
      expect(await states()).toEqual(before);
      expect(await returns.supersede(aReturn("1", 2), error, next, { state: "held", error })).toBe(true);
      expect(await returns.supersede(aReturn("1", 2), error, next, { state: "held", error })).toBe(false);
      expect(await states()).toEqual(["9 held", "4 withdrawn", "3 withdrawn", "2 withdrawn", "1 accepted"]);
      expect(await returns.one(next)).toMatchObject({ replaces: 8, hash: "hash 4", error });
      expect(await returns.one(aReturn("1", 2))).toMatchObject({ error });
      expect(await returns.one(aReturn("2", 2))).toMatchObject({ state: "prepared" });
    });

    it("replaces a blocked version, which counts its attempts", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      const dueAt = scene.clock.now() + 1_000;
      for (const attempts of [1, 2]) {
        expect(await returns.prepare(aReturn("1"), { state: "blocked", error: OOPS, dueAt })).toBe(true);
        expect(await returns.one(aReturn("1"))).toMatchObject({ state: "blocked", attempts, dueAt, error: OOPS });
      }
      expect(await returns.prepare(aReturn("1", 1, { hash: "made" }), prepared)).toBe(true);
      expect(await returns.one(aReturn("1"))).toMatchObject({ state: "prepared", hash: "made", attempts: 0 });
      expect((await returns.one(aReturn("1")))?.error).toBeUndefined();
    });

    it("is refused for a key that no name can hold", async () => {
      await using scene = await Scene.open(makePlace);
      await expect(scene.store.returns.prepare(aReturn("x".repeat(401)), prepared)).rejects.toMatchObject({
        family: "park",
        code: "E_STORE_VALUE",
      });
    });

    it("shows its newest version among many subjects", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await inState(scene, aReturn("1", 1), "accepted");
      await returns.prepare(aReturn("1", 2), prepared);
      await returns.prepare(aReturn("2", 1), prepared);
      await returns.prepare(aReturn("1", 9, { stream: "states" }), prepared);
      const many = Array.from({ length: 450 }, (_, at) => `${at}`);
      const latest = await returns.latest("reports", many);
      expect(latest.size).toBe(2);
      expect([latest.get("1")?.version, latest.get("2")?.version]).toEqual([2, 1]);
      expect(await returns.latest("reports", [])).toEqual(new Map());
    });
  });

  describe("an attempt to hand over", () => {
    it("ends with delivered, failed, held or uncertain, if it was prepared", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      for (const subject of ["1", "2", "3"]) await returns.prepare(aReturn(subject), prepared);
      scene.clock.advance(50);
      const dueAt = scene.clock.now() + 5_000;
      expect(await returns.ended(aReturn("1"), { kind: "failed", error: OOPS, dueAt })).toBe(true);
      expect(await returns.one(aReturn("1"))).toMatchObject({ state: "prepared", attempts: 1, error: OOPS, dueAt });
      expect(await returns.ended(aReturn("1"), { kind: "delivered" })).toBe(true);
      expect(await returns.one(aReturn("1"))).toMatchObject({
        state: "delivered",
        attempts: 0,
        error: undefined,
        deliveredAt: scene.clock.now(),
      });
      expect(await returns.ended(aReturn("2"), { kind: "held", error: OOPS })).toBe(true);
      expect(await returns.ended(aReturn("3"), { kind: "uncertain", error: OOPS })).toBe(true);
      for (const subject of ["1", "2", "3", "4"])
        expect(await returns.ended(aReturn(subject), { kind: "delivered" })).toBe(false);
      expect(await returns.one(aReturn("3"))).toMatchObject({ state: "uncertain", attempts: 1, error: OOPS });
    });

    it("keeps what follows until it is done, however often it fails", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await inState(scene, aReturn("1"), "delivered");
      await inState(scene, aReturn("2"), "accepted");
      await returns.answered(aReturn("1"), OK, true);
      const following = () => returns.find({ stream: "reports", following: "due", dueBy: scene.clock.now(), limit: 9 });
      expect(names(await following())).toEqual(["1/1"]);
      const dueAt = scene.clock.now() + 10;
      expect(await returns.ended(aReturn("1"), { kind: "failed", error: OOPS, dueAt })).toBe(true);
      expect(await returns.ended(aReturn("2"), { kind: "failed", error: OOPS, dueAt })).toBe(false);
      expect(await following()).toEqual([]);
      expect((await returns.counts())[0]).toMatchObject({ states: { accepted: 2 }, following: 1 });
      scene.clock.advance(10);
      expect(await following()).toMatchObject([{ attempts: 1, error: OOPS, state: "accepted" }]);
      expect(await returns.ended(aReturn("1"), { kind: "followed" })).toBe(true);
      expect(await returns.ended(aReturn("1"), { kind: "followed" })).toBe(false);
      expect(await returns.one(aReturn("1"))).toMatchObject({ following: "done", error: undefined, state: "accepted" });
      expect(await following()).toEqual([]);
      scene.clock.advance(10);
      expect(await returns.ended(aReturn("1"), { kind: "unfollowed" })).toBe(true);
      expect(await returns.ended(aReturn("1"), { kind: "unfollowed" })).toBe(false);
      expect(await following()).toMatchObject([{ attempts: 0, state: "accepted" }]);
    });
  });

  it("an attempt does not wait for a clock that was set back to catch up", async () => {
    await using scene = await Scene.open(makePlace);
    const { returns } = scene.store;
    const now = scene.clock.now();
    await inState(scene, aReturn("1"), "delivered");
    scene.clock.advance(86_400_000);
    for (const subject of ["2", "3", "4"]) await returns.prepare(aReturn(subject), prepared);
    await returns.ended(aReturn("2"), { kind: "failed", error: OOPS, dueAt: scene.clock.now() + 5_000 });
    await returns.ended(aReturn("3"), { kind: "delivered" });
    await returns.prepare(aReturn("5"), { state: "blocked", error: OOPS, dueAt: scene.clock.now() });
    scene.clock.advance(-86_399_000);
    const dueBy = scene.clock.now();
    expect(await returns.find({ states: ["prepared", "blocked"], dueBy, limit: 9 })).toEqual([]);
    for (let count = 0; count < 2; count++) await returns.clockSetBack();
    expect(names(await returns.find({ states: ["prepared", "blocked"], dueBy, limit: 9 }))).toEqual([
      "2/1",
      "4/1",
      "5/1",
    ]);
    expect(await returns.one(aReturn("3"))).toMatchObject({ preparedAt: dueBy, deliveredAt: dueBy, dueAt: dueBy });
    expect(await returns.one(aReturn("1"))).toMatchObject({ deliveredAt: now, dueAt: now });
  });

  describe("the ERP's answer", () => {
    it("is kept with its document or its reason, and the last one counts", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await inState(scene, aReturn("1"), "delivered");
      expect(await returns.answered(aReturn("1"), NO, true)).toBe(true);
      expect(await returns.one(aReturn("1"))).toMatchObject({
        state: "refused",
        answer: NO,
        following: undefined,
        error: { code: "E_RETURN_REFUSED", message: "no such order" },
      });
      expect(await returns.answered(aReturn("1"), OK, true)).toBe(true);
      expect(await returns.one(aReturn("1"))).toMatchObject({ state: "accepted", answer: OK, following: "due" });
      expect((await returns.one(aReturn("1")))?.error).toBeUndefined();
      await returns.ended(aReturn("1"), { kind: "followed" });
      await returns.answered(aReturn("1"), OK, true);
      expect((await returns.one(aReturn("1")))?.following).toBe("done");
      await returns.answered(aReturn("1"), { ...OK, document: "R-2" }, true);
      expect((await returns.one(aReturn("1")))?.following).toBe("due");
    });

    it("proves that an uncertain one arrived", async () => {
      await using scene = await Scene.open(makePlace);
      await inState(scene, aReturn("1"), "uncertain");
      expect(await scene.store.returns.answered(aReturn("1"), OK, false)).toBe(true);
      expect(await scene.store.returns.one(aReturn("1"))).toMatchObject({ state: "accepted", deliveredAt: OK.at });
    });

    it.each(["blocked", "held", "prepared", "seen", "withdrawn"] as const)(
      "is no answer to a %s one",
      async (state) => {
        await using scene = await Scene.open(makePlace);
        await inState(scene, aReturn("1"), state);
        expect(await scene.store.returns.answered(aReturn("1"), OK, false)).toBe(false);
        expect((await scene.store.returns.one(aReturn("1")))?.answer).toBeUndefined();
      },
    );
  });

  describe("a person's decision about a return", () => {
    it.each([
      ["blocked", { state: "blocked", error: OOPS, attempts: 0 }],
      ["held", { state: "prepared", error: undefined }],
      ["uncertain", { state: "prepared", error: undefined, attempts: 0 }],
    ] as const)("sends a %s one at once", async (state, after) => {
      await using scene = await Scene.open(makePlace);
      await inState(scene, aReturn("1"), state);
      scene.clock.advance(99);
      expect(await scene.store.returns.decide(aReturn("1"), "send", anna)).toBe(true);
      expect(await scene.store.returns.one(aReturn("1"))).toMatchObject({ ...after, dueAt: scene.clock.now() });
      const [entry] = await scene.store.audit({ id: historyOf(aReturn("1")), limit: 9 });
      expect(entry).toMatchObject({ action: "return", outcome: "send, version 1", by: anna });
    });

    it.each(["seen", "prepared", "delivered", "accepted", "withdrawn"] as const)(
      "sends no %s one, and the history has no word of it",
      async (state) => {
        await using scene = await Scene.open(makePlace);
        await inState(scene, aReturn("1"), state);
        const [before, history] = [
          await scene.store.returns.one(aReturn("1")),
          await scene.store.audit({ id: historyOf(aReturn("1")), limit: 9 }),
        ];
        expect(await scene.store.returns.decide(aReturn("1"), "send", anna)).toBe(false);
        expect(await scene.store.returns.one(aReturn("1"))).toEqual(before);
        expect(await scene.store.audit({ id: historyOf(aReturn("1")), limit: 9 })).toEqual(history);
      },
    );

    it("says a refused one again as a new version without a difference, once", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      const item = aReturn("1", 2, { content: { fields: { order_no: "A-1" }, lines: [line, gone] } });
      await inState(scene, aReturn("1"), "accepted");
      await inState(scene, item, "refused");
      expect(await returns.decide(item, "send", anna)).toBe(true);
      expect(await returns.decide(item, "send", anna)).toBe(false);
      expect(await returns.versions("reports", "1")).toMatchObject([
        {
          version: 3,
          state: "prepared",
          kind: "correction",
          replaces: 2,
          hash: "hash 2",
          serviceId: 4711,
          content: { fields: { order_no: "A-1" }, lines: [{ ...line, change: "same", amountBefore: "1.5" }] },
        },
        { version: 2, state: "refused" },
        { version: 1, state: "accepted" },
      ]);
    });

    it("withdraws what waits, and ends a doubt about what arrived", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await inState(scene, aReturn("1"), "held");
      await inState(scene, aReturn("2"), "blocked");
      await inState(scene, aReturn("3"), "uncertain");
      await inState(scene, aReturn("4"), "delivered");
      const [one, two, three, four] = ["1", "2", "3", "4"].map((subject) => aReturn(subject));
      expect(await returns.decide(one!, "withdraw", anna)).toBe(true);
      expect(await returns.one(one!)).toMatchObject({ state: "withdrawn", hash: "hash 1", error: undefined });
      expect(await returns.decide(two!, "withdraw", undefined)).toBe(true);
      expect(await returns.one(two!)).toMatchObject({ state: "withdrawn", hash: "" });
      expect(await returns.decide(three!, "arrived", anna)).toBe(true);
      expect(await returns.one(three!)).toMatchObject({ state: "delivered", deliveredAt: scene.clock.now() });
      for (const item of [three!, four!])
        for (const decision of ["withdraw", "arrived"] as const)
          expect(await returns.decide(item, decision, anna)).toBe(false);
      const acts = await scene.store.acts.recent({ since: 0, limit: 9 });
      expect(acts.map(({ stream, key, outcome }) => [stream, key, outcome])).toEqual([
        ["returns/reports", "3", "arrive, version 1"],
        ["returns/reports", "1", "withdraw, version 1"],
      ]);
    });
  });

  describe("a list of returns", () => {
    it("goes on behind the last one of the page before, over all streams", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      for (const stream of ["b", "a"])
        for (const subject of ["2", "10", "1"]) await returns.prepare(aReturn(subject, 1, { stream }), prepared);
      await inState(scene, aReturn("10", 2, { stream: "a" }), "held");
      const seen: string[] = [];
      let after: StoredReturn | undefined;
      do {
        const page = await returns.find({ after, limit: 3 });
        seen.push(...page.map(({ stream, subject, version }) => `${stream}/${subject}/${version}`));
        after = page.at(-1);
      } while (after !== undefined);
      expect(seen).toEqual(["a/1/1", "a/10/1", "a/10/2", "a/2/1", "b/1/1", "b/10/1", "b/2/1"]);
      expect(names(await returns.find({ stream: "a", states: ["held"], limit: 9 }))).toEqual(["10/2"]);
      expect(await returns.find({ states: [], limit: 9 })).toEqual([]);
      expect(await returns.find({ stream: "c", limit: 9 })).toEqual([]);
    });

    it("has what is due, in order of time", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns, clock } = scene.store;
      for (const subject of ["3", "1", "2"]) {
        scene.clock.advance(1);
        await returns.prepare(aReturn(subject), prepared);
      }
      await returns.ended(aReturn("1"), { kind: "failed", error: OOPS, dueAt: clock.now() + 5 });
      const due = async (after?: StoredReturn) =>
        returns.find({ stream: "reports", states: ["prepared"], dueBy: clock.now(), after, limit: 1 });
      const [first] = await due();
      expect(first?.subject).toBe("3");
      expect(names(await due(first))).toEqual(["2/1"]);
      expect(await due((await due(first))[0])).toEqual([]);
    });
  });

  describe("the counts of returns", () => {
    it("are those of each stream, with the oldest that has no answer", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      expect(await returns.counts()).toEqual([]);
      await inState(scene, aReturn("1"), "delivered");
      const oldest = scene.clock.now();
      scene.clock.advance(1_000);
      await inState(scene, aReturn("2"), "delivered");
      await inState(scene, aReturn("3"), "refused");
      await inState(scene, aReturn("1", 1, { stream: "b" }), "held");
      expect(await returns.counts()).toEqual([
        { stream: "b", states: { held: 1 }, oldestUnanswered: undefined, openRefusals: 0, following: 0 },
        {
          stream: "reports",
          states: { delivered: 2, refused: 1 },
          oldestUnanswered: oldest,
          openRefusals: 1,
          following: 0,
        },
      ]);
      const open = async () => names(await returns.find({ states: ["refused"], unreplaced: true, limit: 9 }));
      await inState(scene, aReturn("3", 2), "withdrawn");
      expect(await open()).toEqual(["3/1"]);
      expect((await returns.counts())[1]).toMatchObject({ openRefusals: 1 });
      await inState(scene, aReturn("3", 3), "accepted");
      expect((await returns.counts())[1]).toMatchObject({ states: { refused: 1, accepted: 1 }, openRefusals: 0 });
      expect(await open()).toEqual([]);
    });
  });

  describe("the contents of a return", () => {
    it("are forgotten in all versions, and the ERP is told nothing twice", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await inState(scene, aReturn("1"), "accepted");
      await inState(scene, aReturn("1", 2), "held");
      await returns.decide(aReturn("1", 2), "withdraw", { ...anna, why: "Erna called" });
      await inState(scene, aReturn("1", 3), "refused");
      await inState(scene, aReturn("2"), "refused");
      await returns.forget("reports", "1");
      const versions = await returns.versions("reports", "1");
      expect(versions.map(({ state, hash }) => [state, hash])).toEqual([
        ["refused", "hash 3"],
        ["withdrawn", "hash 2"],
        ["accepted", "hash 1"],
      ]);
      expect(versions.map(({ content, error }) => [content, error])).toEqual(
        versions.map(() => [{ fields: {}, lines: [] }, undefined]),
      );
      expect(versions[0]?.answer).toMatchObject({ result: "refused", message: undefined });
      expect(versions[2]?.answer?.document).toBe("R-1");
      const [decision] = await scene.store.audit({ id: historyOf(aReturn("1")), limit: 9 });
      expect(decision?.by).toEqual({ ...anna, why: undefined });
      expect((await returns.one(aReturn("2")))?.error?.message).toBe("no such order");
    });

    it.each(["blocked", "held", "prepared", "uncertain"] as const)("stay while a version is %s", async (state) => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await inState(scene, aReturn("1"), "accepted");
      await inState(scene, aReturn("1", 2), state);
      await expect(returns.forget("reports", "1")).rejects.toMatchObject({ code: "E_NOT_FORGETTABLE" });
      expect((await returns.one(aReturn("1")))?.content.fields).toEqual(aReturn("1").content.fields);
    });

    it("keep no secret of svcsync in what is said about them", async () => {
      await using place = await makePlace();
      await using store = await place.open({ as: "daemon", clock: new SetClock(), logger: silentLogger, redact });
      const error = { ...OOPS, message: "the password s3cret is wrong" };
      await store.returns.saveMark("reports", { beginAt: 1, error: { ...error, at: 1 } });
      await store.returns.prepare(aReturn("1"), { state: "held", error });
      await store.returns.decide(aReturn("1"), "send", { ...anna, why: "s3cret" });
      await store.returns.ended(aReturn("1"), { kind: "delivered" });
      await store.returns.answered(aReturn("1"), { ...NO, message: "s3cret" }, false);
      const all = [
        await store.returns.mark("reports"),
        await store.returns.find({ limit: 9 }),
        await store.audit({ limit: 9 }),
      ];
      expect(JSON.stringify(all)).not.toContain("s3cret");
      expect(JSON.stringify(all)).toContain("***");
    });
  });

  describe("old returns", () => {
    it("lose contents that are needed no more, and never a hash or a version", async () => {
      await using scene = await Scene.open(makePlace);
      const { returns } = scene.store;
      await inState(scene, aReturn("1", 1), "accepted");
      await inState(scene, aReturn("1", 2), "accepted");
      await inState(scene, aReturn("2", 1), "delivered");
      await inState(scene, aReturn("2", 2), "refused");
      await inState(scene, aReturn("3", 1), "withdrawn");
      await inState(scene, aReturn("4", 1), "held");
      await inState(scene, aReturn("5", 1, { kind: "state" }), "accepted");
      await inState(scene, aReturn("6", 1, { kind: "status" }), "delivered");
      await returns.answered(aReturn("1", 1), OK, true);
      const young = scene.clock.now();
      expect(await returns.prune(young)).toBe(0);
      expect(await returns.prune(young + 1)).toBe(2);
      await returns.ended(aReturn("1", 1), { kind: "followed" });
      expect(await returns.prune(young + 1)).toBe(1);
      const all = await returns.find({ limit: 99 });
      expect(names(all.filter(({ content }) => Object.keys(content.fields).length === 0))).toEqual([
        "1/1",
        "3/1",
        "5/1",
      ]);
      expect(all.map(({ hash }) => hash)).toEqual(all.map(({ version }) => `hash ${version}`));
    });
  });

  it.skipIf(isOneProcess)("returns can be read by a reader, who changes none", async () => {
    await using scene = await Scene.open(makePlace);
    await inState(scene, aReturn("1"), "held");
    await scene.store.returns.saveMark("reports", { beginAt: 1 });
    await using reader = await scene.another("reader");
    const { returns } = reader;
    expect(names(await returns.find({ limit: 9 }))).toEqual(["1/1"]);
    expect(await returns.mark("reports")).toEqual({ beginAt: 1 });
    expect(await returns.counts()).toHaveLength(1);
    for (const step of [
      () => returns.saveMark("reports", { beginAt: 2 }),
      () => returns.prepare(aReturn("2"), prepared),
      () => returns.ended(aReturn("1"), { kind: "followed" }),
      () => returns.answered(aReturn("1"), OK, false),
      () => returns.decide(aReturn("1"), "send", anna),
      () => returns.prune(1),
    ])
      await expect(step()).rejects.toMatchObject({ code: "E_STORE_READONLY" });
  });
}
