import { describe, expect, it } from "vitest";
import type { StandingStore } from "#store";
import { StateReader } from "../../../src/returns/read/state-reader.ts";
import { customer, Scene } from "../../conformance/store-scene.ts";
import { sqlitePlace } from "../../store/sqlite-place.ts";

const STATES = ["due", "applied", "waiting", "parked", "uncertain", "skipped", "deleted"] as const;

async function scene() {
  const store = await Scene.open(sqlitePlace);
  for (const state of STATES) await store.inState(customer(state), state);
  const open = () => new StateReader({ store: store.store, now: () => 77 }, "customers");
  return { store, open };
}

async function look(reader: StateReader): Promise<string[]> {
  const found: string[] = [];
  for await (const { listed } of reader.changed(null)) found.push(...listed.map(({ subject }) => subject));
  return found.toSorted();
}

describe("the state of records for the ERP", () => {
  it("is in step, waiting, blocked with the reason, left out or deleted; what passes is not told", async () => {
    const { store, open } = await scene();
    await using _ = store;
    const reader = open();
    const told = await Promise.all(STATES.map((state) => reader.whole(state)));
    const oops = { code: "E_INTERNAL", reason: "it did not work" };
    const none = { code: null, reason: null, serviceId: null };
    expect(told.map((whole) => whole?.record)).toMatchObject([
      undefined,
      { key: "applied", state: "in step", ...none, serviceId: 10_007 },
      { key: "waiting", state: "waiting", ...oops },
      { key: "parked", state: "blocked", ...oops },
      { key: "uncertain", state: "blocked", ...oops },
      { key: "skipped", state: "left out", serviceId: null },
      { key: "deleted", state: "deleted", ...none },
    ]);
    expect(told[1]).toMatchObject({ subject: "applied", serviceId: 10_007, modifiedAt: 77 });
    expect(await reader.whole("unknown")).toBeUndefined();
  });

  it("is looked at when it changed, and once after a restart", async () => {
    const { store, open } = await scene();
    await using _ = store;
    const reader = open();
    const settled = STATES.filter((state) => state !== "due").toSorted();
    expect([await look(reader), await look(reader)]).toEqual([settled, []]);
    await store.store.retryNow({ stream: "customers", key: "parked", states: ["parked"] });
    expect(await look(reader)).toEqual([]);
    await store.create(await store.claim(customer("parked")), 4711);
    expect([await look(reader), await look(reader)]).toEqual([["parked"], []]);
    expect(await look(open())).toEqual(settled);
    const all: string[] = [];
    for await (const listed of open().all()) all.push(...listed.map(({ subject }) => subject));
    expect(all.toSorted()).toEqual(settled);
  });

  it("is looked at again when the look was not completed, or met a record on its way", async () => {
    const { store, open } = await scene();
    await using _ = store;
    const reader = open();
    for await (const { listed } of reader.changed(null)) {
      expect(listed).toHaveLength(6);
      break;
    }
    expect(await look(reader)).toHaveLength(6);
    await store.create(await store.claim(customer("due")), 4711);
    for await (const { listed } of reader.changed(null)) {
      expect(listed).toEqual([{ subject: "due" }]);
      await store.claimed(customer("due"), { name: "changed" });
      expect(await reader.whole("due")).toBeUndefined();
    }
    await store.reopen();
    const again = new StateReader({ store: store.store, now: () => 77 }, "customers");
    expect(await again.whole("due")).toBeUndefined();
  });

  it("is looked at in parts, so that a look at many records costs no more than one at few", async () => {
    const records = 25_000;
    let pages = 0;
    const page: StandingStore["page"] = async (_stream, after, limit) => {
      pages++;
      const from = Number(after);
      const last = Math.min(from + limit, records);
      const standings = Array.from({ length: last - from }, (_, at) => ({
        key: String(from + at + 1),
        state: "applied" as const,
        code: undefined,
        serviceId: from + at + 1,
      }));
      return { standings, next: last === records ? undefined : String(last) };
    };
    const store = { standings: { page }, record: () => Promise.resolve(undefined) };
    const reader = new StateReader({ store, now: () => 77 }, "customers");
    const [first, second, third, fourth] = [
      await look(reader),
      await look(reader),
      await look(reader),
      await look(reader),
    ];
    expect([first.length, second.length, third.length, fourth.length]).toEqual([20_000, 5_000, 0, 0]);
    expect(new Set([...first, ...second]).size).toBe(records);
    expect(pages).toBe(20 + 5 + 20 + 5);
  });
});
