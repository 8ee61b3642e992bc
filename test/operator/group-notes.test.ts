import { describe, expect, it } from "vitest";
import { isSnoozed, noteGroup, notedGroups, retryGroupAct, skipGroupAct } from "#operator";
import { customer, Scene } from "../conformance/store-scene.ts";
import { carriedOut } from "../kit/acting.ts";
import { customersFile } from "../pipeline/customer-stream.ts";
import { sqlitePlace } from "../store/sqlite-place.ts";

const HOUR = 3_600_000;
const by = { name: "anna", via: "cli" } as const;
const streams = ["customers"];

async function scene() {
  const made = await Scene.open(sqlitePlace);
  for (const [key, message] of [
    ["1", "no status is called Aktiv"],
    ["2", "no status is called Aktiv"],
    ["3", "too long"],
  ] as const) {
    const claim = await made.claimed(customer(key));
    await made.store.end(claim, { kind: "park", error: { code: "E_SERVICE_REFUSED", message, details: {} } });
  }
  return made;
}

/** Two parked records, and one that waits for the same cause. */
async function mixed() {
  const made = await scene();
  const claim = await made.claimed(customer("4"));
  await made.store.end(claim, {
    kind: "wait",
    error: { code: "E_SERVICE_REFUSED", message: "no status is called Aktiv", details: {} },
  });
  const [parked, waiting] = (await notedGroups(made, streams)).filter(({ message }) => message !== "too long");
  expect([parked!.state, parked!.count, waiting!.state, waiting!.count]).toEqual(["parked", 2, "waiting", 1]);
  expect(waiting!.id).toBe(parked!.id);
  return { made, waiting: waiting! };
}

describe("groups of records", () => {
  it("have an id that stays, a note, an owner and a snooze; what is not given stays, empty texts take away", async () => {
    await using made = await scene();
    const { store, clock } = made;
    const deps = { store, clock };
    const [group, other] = await notedGroups(deps, streams);
    expect([group!.count, other!.count]).toEqual([2, 1]);
    expect(group!.id).toMatch(/^[0-9a-f]{8}$/);
    const { id } = group!;
    await noteGroup(deps, streams, { id, note: "ask Ben", owner: "anna" }, by);
    const until = clock.now() + HOUR;
    await noteGroup(deps, streams, { id, snoozeUntil: until, note: "" }, by);
    const [noted] = await notedGroups(deps, streams);
    expect(await store.acts.recent({ since: 0, limit: 9 })).toMatchObject([
      { stream: "customers", action: "note", outcome: `group ${id}: note, snooze`, by },
      { stream: "customers", action: "note", outcome: `group ${id}: note, owner`, by },
    ]);
    expect(noted!.noted).toEqual({ owner: "anna", snooze: { until, count: 2 }, by, at: clock.now() });
  });

  it("are not written down by a person who has not seen what another one wrote meanwhile", async () => {
    await using made = await scene();
    const ben = { name: "ben", via: "page" } as const;
    const { id } = (await notedGroups(made, streams))[0]!;
    await noteGroup(made, streams, { id, note: "hands off, I am at it", notedAt: "none" }, ben);
    const seenAt = made.clock.now();
    const late = noteGroup(made, streams, { id, note: "", owner: "anna", notedAt: "none" }, by);
    await expect(late).rejects.toMatchObject({ code: "E_NOTE_OUTDATED", message: expect.stringContaining("by ben") });
    made.clock.advance(1);
    await noteGroup(made, streams, { id, owner: "anna", notedAt: seenAt }, by);
    const again = noteGroup(made, streams, { id, owner: "ben", notedAt: seenAt }, ben);
    await expect(again).rejects.toMatchObject({ code: "E_NOTE_OUTDATED" });
    const { noted } = (await notedGroups(made, streams))[0]!;
    expect(noted).toMatchObject({ note: "hands off, I am at it", owner: "anna", by });
  });

  it("are quiet until the end of the snooze, or until there are ten times as many", () => {
    const note = { by, at: 0, snooze: { until: 100, count: 3 } };
    expect([isSnoozed(note, 3, 99), isSnoozed(note, 29, 99)]).toEqual([true, true]);
    expect([isSnoozed(note, 30, 99), isSnoozed(note, 3, 100), isSnoozed(undefined, 3, 0)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each([0, Date.UTC(2020, 0, 1), Number.POSITIVE_INFINITY, Number.NaN])(
    "take no snooze until %d: in the past, without an end or too long",
    async (snoozeUntil) => {
      await using made = await scene();
      const [group] = await notedGroups(made, streams);
      const noting = noteGroup(made, streams, { id: group!.id, snoozeUntil }, by);
      await expect(noting).rejects.toMatchObject({ code: "E_PAUSE_TIME" });
      expect((await notedGroups(made, streams))[0]!.noted).toBeUndefined();
    },
  );

  it("end a snooze when asked", async () => {
    await using made = await scene();
    const [group] = await notedGroups(made, streams);
    const { id } = group!;
    await noteGroup(made, streams, { id, snoozeUntil: made.clock.now() + HOUR, owner: "anna" }, by);
    expect((await noteGroup(made, streams, { id, snoozeUntil: "none" }, by)).noted).toEqual({
      owner: "anna",
      by,
      at: made.clock.now(),
    });
  });

  it("are retried as one, and no other record with them", async () => {
    await using made = await scene();
    const [group] = await notedGroups(made, streams);
    expect(await carriedOut(retryGroupAct, made, group!.id, {}, by, customersFile().streams)).toBe(2);
    expect(await made.dueKeys()).toEqual(["1", "2"]);
    expect(await made.state(customer("3"))).toBe("parked");
  });

  it("are left out as one, and no other record with them", async () => {
    await using made = await scene();
    const [group] = await notedGroups(made, streams);
    const skipped = await carriedOut(skipGroupAct, made, group!.id, {}, by, customersFile().streams);
    expect(skipped).toEqual({ skipped: 2, refused: [] });
    expect(await Promise.all(["1", "2", "3"].map((key) => made.state(customer(key))))).toEqual([
      "skipped",
      "skipped",
      "parked",
    ]);
  });

  describe("in two states", () => {
    const three = ["1", "2", "4"];
    const states = (of: Scene) => Promise.all(three.map((key) => of.state(customer(key))));

    it("are left out and retried only in the state that a card shows", async () => {
      for (const [act, after] of [
        [skipGroupAct, "skipped"],
        [retryGroupAct, "due"],
      ] as const) {
        const { made, waiting } = await mixed();
        await using _ = made;
        const input = { count: 1, state: "waiting" } as const;
        await carriedOut<"group", typeof input, unknown>(act, made, waiting.id, input, by, customersFile().streams);
        expect(await states(made)).toEqual(["parked", "parked", after]);
      }
    });

    it("are not left out by a person who saw another number", async () => {
      const { made, waiting } = await mixed();
      await using _ = made;
      const skip = (count: number) =>
        carriedOut(skipGroupAct, made, waiting.id, { count }, by, customersFile().streams);
      await expect(skip(1)).rejects.toMatchObject({
        code: "E_NOT_RESOLVABLE",
        message: "3 records have this cause now, but you saw 1: check them again. Nothing was changed",
      });
      expect(await states(made)).toEqual(["parked", "parked", "waiting"]);
      await skip(3);
      expect(await states(made)).toEqual(["skipped", "skipped", "skipped"]);
    });
  });

  it("refuse an id that no group has", async () => {
    await using made = await scene();
    const noting = noteGroup(made, streams, { id: "00000000", note: "x" }, by);
    await expect(noting).rejects.toMatchObject({ code: "E_GROUP_UNKNOWN" });
    await expect(carriedOut(retryGroupAct, made, "00000000", {}, by)).rejects.toMatchObject({
      code: "E_GROUP_UNKNOWN",
    });
  });
});
