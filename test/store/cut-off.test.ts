import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WOKEN_AT_ONCE } from "../../src/store/statements/parents.ts";
import { claimRecord } from "../../src/store/steps/claim.ts";
import { endClaim } from "../../src/store/steps/ending.ts";
import { written } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { beside, keyOf, large, RECORDS, type Large } from "./large-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";
import { markKeys } from "../../src/store/steps/sweeping.ts";

const HOUR_MS = 3_600_000;

/** The records of "customers" are bound to these ids of the resource "customer". */
const BIND =
  "INSERT INTO bindings (record, resource, service_id) SELECT id, 'customer', id FROM records WHERE stream = 'customers'";
const KNOWN = "SELECT count(*) FROM match_records";

function numberOf({ db }: Large, query: string): unknown {
  return db.prepare(query).pluck().get();
}

/** Goes through all parts of a read. Returns what it found, and in how many parts. */
function readInParts<T>(parts: Generator<undefined, T>): { found: T; parts: number } {
  let count = 1;
  let step = parts.next();
  for (; !step.done; step = parts.next()) count++;
  return { found: step.value, parts: count };
}

describe("a whole read of the service, of very many records", () => {
  it("begins with what records are bound to, part by part, and again after it was cut off", async () => {
    await using of = await large();
    const { db, store } = of;
    db.exec(BIND);
    expect(of.killedAfter(({ matches }) => matches.rememberBound("customer", -Infinity, 250))).toEqual({
      count: 250,
      next: 251,
    });
    expect(await beside(of, () => store.beginMatches("customer"), KNOWN)).toBeLessThan(RECORDS);
    expect(numberOf(of, KNOWN)).toBe(RECORDS);
    expect(await store.matchIndex("customer")).toBeUndefined();
  });

  it("ends by forgetting what it did not show, part by part, and nothing else where it is cut off", async () => {
    await using of = await large();
    const { db, store } = of;
    db.exec(`
      INSERT INTO match_records (resource, service_id) SELECT 'customer', id FROM records WHERE stream = 'customers';
      INSERT INTO match_keys SELECT resource, service_id, 'number', 'k' || service_id FROM match_records;
      INSERT INTO match_indexes (resource, read_at) VALUES ('customer', 5)`);
    const seen = [1, 250, 251, 5_000, 5_001, RECORDS];
    const read = async () => {
      await store.beginMatches("customer");
      await store.saveMatches(
        "customer",
        seen.map((serviceId) => ({ serviceId, keys: { number: `k${serviceId}` } })),
      );
    };
    await read();
    const done = of.killedAfter(({ matches }) =>
      matches.forgetUnseen({ resource: "customer", reading: 1 }, -Infinity, 250),
    );
    expect(done).toEqual({ count: 250, next: 253 });
    expect(numberOf(of, KNOWN)).toBe(RECORDS - 250);
    expect(await store.matchIndex("customer")).toEqual({ readAt: 5, isEmpty: false });
    expect(await store.matches("customer", "number", "k3")).toEqual([]);
    for (const id of [...seen, 300]) expect(await store.matches("customer", "number", `k${id}`)).toEqual([id]);

    await read();
    expect(
      of.killedAfter(({ matches }) => matches.forgetUnseen({ resource: "customer", reading: 2 }, -Infinity, 250)).count,
    ).toBe(250);
    const end = () => store.endMatches("customer", { whole: true, readAt: 7 });
    expect(await beside(of, end, KNOWN)).toBe(RECORDS - 500);
    expect(db.prepare("SELECT service_id FROM match_keys ORDER BY service_id").pluck().all()).toEqual(seen);
    expect(numberOf(of, KNOWN)).toBe(seen.length);
    expect(await store.matchIndex("customer")).toEqual({ readAt: 7, isEmpty: false });
  });

  it("counts what it has not shown, and what nobody is bound to, in parts, and misses none", async () => {
    await using of = await large();
    of.db.exec(`
      ${BIND};
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 40001)
      INSERT INTO match_records (resource, service_id, reading) SELECT 'customer', n, n % 2 FROM numbers;
      INSERT INTO match_indexes (resource, reading) VALUES ('customer', 1)`);
    of.killedAfter(({ matches }) => {
      expect(readInParts(matches.countingUnbound("customer"))).toEqual({ found: 40_001 - RECORDS, parts: 4 });
      const { found, parts } = readInParts(matches.countingUnseen("customer", 7));
      expect([found.known, found.unseen, parts]).toEqual([40_001, 20_000, 4]);
      expect(new Set(found.some.filter((id) => id % 2 === 0)).size).toBe(7);
    });
  });
});

describe("unbound records among very many", () => {
  const unbound = [0, 1, 4_999, 5_000, 5_001, 9_999, 10_000].map(keyOf);
  const query = { stream: "customers", unbound: true, limit: 5 } as const;

  it.each([undefined, ["applied"], ["due", "applied"]] as const)(
    "are found in parts, in order (%s)",
    async (states) => {
      await using of = await large();
      const { db } = of;
      db.exec(BIND);
      for (const key of unbound) {
        db.prepare("DELETE FROM bindings WHERE record = (SELECT id FROM records WHERE key = ?)").run(key);
        db.prepare("INSERT INTO contents SELECT id, '{}' FROM records WHERE key = ?").run(key);
      }
      db.exec("UPDATE records SET state = 'due', due_at = 1 WHERE key IN ('K00001', 'K05000')");
      const wanted = states?.length === 1 ? unbound.filter((key) => key !== "K00001" && key !== "K05000") : unbound;
      of.killedAfter(({ views }) => {
        const { found, parts } = readInParts(views.finding({ ...query, ...(states && { states }) }));
        expect(found.map(({ id }) => id.key)).toEqual(wanted.slice(0, 5));
        expect(parts).toBeGreaterThan(1);
      });
      const after = { stream: "customers", key: wanted[1]! };
      const rest = await of.store.records({ ...query, ...(states && { states }), after, limit: 9 });
      expect(rest.map(({ id }) => id.key)).toEqual(wanted.slice(2));
    },
  );
});

const SUM = "SELECT count(*) FROM records WHERE due_at = 10 * 3600000 + sequence";
const setDue = ({ db }: Large) =>
  db.exec(`UPDATE records SET state = 'due', due_at = 10 * 3600000 + sequence WHERE stream = 'customers'`);
const movedBy = (of: Large, ms: number) =>
  numberOf(of, `SELECT count(*) FROM records WHERE due_at = 10 * 3600000 + sequence - ${ms}`);
const cutOff = (of: Large, byMs: number) => {
  expect(of.killedAfter(({ setBack }) => setBack.begin(byMs))).toBe(byMs);
  expect(of.killedAfter(({ setBack }) => setBack.next(2_000))).toBe(2_000);
  expect(movedBy(of, byMs)).toBe(2_000);
};

describe("due times of very many records that follow a clock", () => {
  it("are moved in parts, each once, also when it was cut off", async () => {
    await using of = await large();
    const { clock, store } = of;
    setDue(of);
    await store.stage("other", { changes: [], cursor: 1, backfill: false, complete: true });
    const latest = await store.latestMoment();
    clock.advance(-3 * HOUR_MS);
    cutOff(of, 3 * HOUR_MS);
    expect(await store.latestMoment()).toBe(latest);
    // The next process sees how far the clock was, and that some minutes have passed.
    clock.advance(600_000);
    expect(await beside(of, () => store.clockSetBack(3 * HOUR_MS - 600_000), SUM)).toBeGreaterThan(0);
    expect(movedBy(of, 3 * HOUR_MS)).toBe(RECORDS);
    expect(await store.latestMoment()).toBe(clock.now());
  });

  it("are moved by the rest, too, where the clock was set further back meanwhile", async () => {
    await using of = await large();
    const { clock, store } = of;
    setDue(of);
    await store.stage("other", { changes: [], cursor: 1, backfill: false, complete: true });
    clock.advance(-3 * HOUR_MS);
    cutOff(of, 3 * HOUR_MS);
    clock.advance(-HOUR_MS);
    await store.clockSetBack(4 * HOUR_MS);
    expect(movedBy(of, 4 * HOUR_MS)).toBe(RECORDS);
    expect(await store.latestMoment()).toBe(clock.now());
  });

  it("are left where the clock has caught up since", async () => {
    await using of = await large();
    const { clock, store } = of;
    setDue(of);
    await store.stage("other", { changes: [], cursor: 1, backfill: false, complete: true });
    clock.advance(-3 * HOUR_MS);
    cutOff(of, 3 * HOUR_MS);
    clock.advance(4 * HOUR_MS);
    await store.stage("other", { changes: [], cursor: 2, backfill: false, complete: true });
    clock.advance(-HOUR_MS);
    await store.clockSetBack(HOUR_MS);
    expect([movedBy(of, HOUR_MS), movedBy(of, 4 * HOUR_MS)]).toEqual([RECORDS - 2_000, 2_000]);
  });

  it("leave a lease alone that began while they were moved", async () => {
    await using of = await large();
    const { clock, db, store } = of;
    setDue(of);
    db.exec("UPDATE records SET state = 'claimed', token = 't' WHERE key IN ('K00000', 'K10000')");
    await store.stage("other", { changes: [], cursor: 1, backfill: false, complete: true });
    clock.advance(-HOUR_MS);
    cutOff(of, HOUR_MS);
    db.exec("UPDATE records SET state = 'claimed', token = 'n', due_at = 7 WHERE key = 'K09999'");
    await store.clockSetBack(HOUR_MS);
    expect(movedBy(of, HOUR_MS)).toBe(RECORDS - 1);
    expect(numberOf(of, "SELECT due_at FROM records WHERE key = 'K09999'")).toBe(7);
  });
});

describe("a large page of a poll", () => {
  const page = Array.from({ length: 2_001 }, (_, number) => ({
    kind: "upsert" as const,
    key: keyOf(number),
    row: { v: 1 },
  }));
  const batch = { changes: page, cursor: 7, backfill: false, complete: true };
  const CHANGED = "SELECT count(*) FROM records WHERE state = 'due' AND stream = 'customers'";

  it.each(["stage", "stageDeletions"] as const)("moves its cursor with the last of its parts (%s)", async (step) => {
    await using of = await large();
    const { db, store } = of;
    let staged = {};
    const stage = async () => (staged = await store[step]("customers", batch));
    const name = step === "stage" ? "cursor" : "deletion_cursor";
    const cursor = `(SELECT ${name} FROM streams WHERE stream = 'customers')`;
    const between = `SELECT json_array(count(*), ${cursor}) FROM records WHERE state = 'due' AND stream = 'customers'`;
    expect(await beside(of, stage, between)).toBe("[200,null]");
    expect(staged).toEqual({ changed: 2_001, unchanged: 0 });
    expect(numberOf(of, `SELECT ${cursor}`)).toBe("7");
    expect(
      db.prepare("SELECT count(DISTINCT sequence), max(sequence) FROM records WHERE stream = 'customers'").raw().get(),
    ).toEqual([RECORDS, RECORDS + 2_001]);
  });

  it("is read again where it was cut off, and changes nothing twice", async () => {
    await using of = await large();
    const { db, store } = of;
    await store.stageRead("customers", { changes: page.slice(0, 1_000), since: RECORDS });
    db.exec("UPDATE records SET state = 'applied', due_at = NULL");
    expect(await store.stage("customers", batch)).toEqual({ changed: 1_001, unchanged: 1_000 });
    expect(numberOf(of, CHANGED)).toBe(1_001);
    expect(await store.stream("customers")).toMatchObject({ rowsRead: 2_001, sequence: RECORDS + 2_001 });
  });
});

describe("a sweep of very many records", () => {
  const all = Array.from({ length: RECORDS }, (_, number) => keyOf(number));

  it("marks the keys of a large page in parts, and none of a sweep that another one has replaced", async () => {
    await using of = await large();
    const { db, store } = of;
    const seen = "SELECT count(*) FROM seen";
    const sweep = await store.beginSweep("customers");
    of.killedAfter(({ steps }) => steps.carryOut(markKeys("customers", sweep, all.slice(0, 1_000))));
    expect(numberOf(of, seen)).toBe(1_000);
    expect(await beside(of, () => store.markSeen("customers", sweep, all), seen)).toBe(1_000);
    expect(db.prepare("SELECT key FROM seen").pluck().all()).toEqual(all);
    await Promise.all([
      expect(store.markSeen("customers", sweep, all)).rejects.toMatchObject({ code: "E_SWEEP_LOST" }),
      store.beginSweep("customers"),
    ]);
    expect(numberOf(of, seen)).toBe(0);
  });

  it("finds the keys of a large page that are not known in parts, in their order", async () => {
    await using of = await large();
    of.db.exec("UPDATE records SET deleted = 1 WHERE key IN ('K00999', 'K01000', 'K10000')");
    const { found, parts } = of.killedAfter(({ sweeps }) =>
      readInParts(sweeps.findingUnseen("customers", ["new", ...all])),
    );
    expect(found).toEqual(["new", "K00999", "K01000", "K10000"]);
    expect(parts).toBeGreaterThan(10);
    expect(await of.store.unseenKeys("customers", ["new", ...all])).toEqual(found);
  });

  it("suspects and confirms each once that it missed, also after it was cut off", async () => {
    await using of = await large();
    const { store } = of;
    const first = await store.beginSweep("customers");
    const part = of.killedAfter(({ sweeps }) => sweeps.compare("customers", first, { from: "", rows: 1_000 }));
    expect(part).toEqual({ count: 1_000, confirmed: [], next: keyOf(1_000) });
    // What was suspected before the end is confirmed by the next sweep; the others are suspected by it.
    const second = await store.beginSweep("customers");
    const found = await store.endSweep("customers", second);
    expect(found.suspects).toBe(RECORDS - 1_000);
    expect(found.confirmed).toEqual(Array.from({ length: 1_000 }, (_, number) => keyOf(number)));
    const third = await store.beginSweep("customers");
    const all = await store.endSweep("customers", third);
    expect([all.suspects, all.confirmed.length, new Set(all.confirmed).size]).toEqual([0, RECORDS, RECORDS]);
  });
});

const parent = { stream: "other", key: "K" };
/** The step that claims it, whatever the time. */
const claimed = claimRecord(parent, {
  dueBy: Number.MAX_SAFE_INTEGER,
  now: 0,
  until: Number.MAX_SAFE_INTEGER,
  secret: "s",
  mapping: undefined,
});
const binding = { resource: "customer", serviceId: 1 };
const bind = { kind: "bind", binding, applied: written({}) } as const;
const DUE = "SELECT count(*) FROM records WHERE state = 'due' AND stream = 'customers'";

/** All customers wait for the parent, which is due. */
function makeWaiting({ db }: Large): void {
  db.exec(`
    UPDATE records SET state = 'waiting' WHERE stream = 'customers';
    INSERT INTO waits (child, stream, key) SELECT id, 'other', 'K' FROM records WHERE stream = 'customers';
    UPDATE records SET state = 'due', due_at = 1 WHERE stream = 'other';
    INSERT INTO contents SELECT id, '{}' FROM records WHERE stream = 'other'`);
}

describe("very many children of a parent", () => {
  it("are woken in parts once it is bound, each once", async () => {
    await using of = await large();
    const { store } = of;
    makeWaiting(of);
    const claim = (await store.claim(parent))!;
    const bind = async () =>
      expect(await store.end(claim, { kind: "bind", binding, applied: written({}) })).toHaveLength(WOKEN_AT_ONCE);
    expect(await beside(of, bind, DUE)).toBe(WOKEN_AT_ONCE);
    expect(numberOf(of, DUE)).toBe(RECORDS);
    expect(numberOf(of, "SELECT count(*) FROM waits")).toBe(0);
    expect(numberOf(of, "SELECT count(*) FROM notes WHERE name LIKE 'waking%'")).toBe(0);
  });

  it("are woken by the next process where this one was killed between two parts", async () => {
    await using of = await large();
    makeWaiting(of);
    of.killedAfter(({ steps }) => void steps.carryOut(endClaim(steps.carryOut(claimed)!, bind, 2)));
    expect(numberOf(of, DUE)).toBe(WOKEN_AT_ONCE);
    // One of the first is delivered before that.
    of.db.exec("UPDATE records SET state = 'applied', due_at = NULL WHERE key = 'K00007'");
    await of.store.resume();
    expect(numberOf(of, DUE)).toBe(RECORDS - 1);
    expect(await of.store.boundTo(binding)).toEqual(parent);
  });

  it("are woken in parts that carry its former id, also those in hand, and not twice", async () => {
    await using of = await large();
    const { db, store } = of;
    makeWaiting(of);
    db.exec(`
      UPDATE records SET state = 'applied', due_at = NULL WHERE stream = 'customers';
      UPDATE records SET state = 'claimed', token = 't', due_at = 1 WHERE key = 'K09000';
      INSERT INTO parents (child, stream, key) SELECT child, stream, key FROM waits; DELETE FROM waits`);
    of.killedAfter(({ steps }) => void steps.carryOut(endClaim(steps.carryOut(claimed)!, bind, 2)));
    db.exec("UPDATE records SET state = 'applied', due_at = NULL WHERE key = 'K00007'");
    await store.resume();
    expect(numberOf(of, DUE)).toBe(RECORDS - 2);
    expect(numberOf(of, "SELECT again FROM records WHERE key = 'K09000'")).toBe(1);
  });

  it("are found in parts, each once, those that are bound and those that its other id would make due", async () => {
    await using of = await large();
    of.db.exec(`
      ${BIND};
      INSERT INTO parents (child, stream, key) SELECT id, 'other', 'K' FROM records;
      UPDATE records SET state = 'deleted' WHERE key IN ('K00000', 'K05000');
      UPDATE records SET state = 'due', due_at = 1 WHERE key = 'K00007'`);
    const keys = Array.from({ length: RECORDS }, (_, number) => keyOf(number));
    const standing = keys.filter((key) => key !== "K00000" && key !== "K05000");
    const bound = await of.store.children(parent, "bound");
    expect(bound.map(({ key }) => key)).toEqual(standing);
    const outdated = (await of.store.children(parent, "dependent")).filter(({ stream }) => stream === "customers");
    expect(outdated.map(({ key }) => key)).toEqual(standing.filter((key) => key !== "K00007"));
  });

  it("of several parents are all woken", async () => {
    await using of = await large();
    const { db, store } = of;
    makeWaiting(of);
    db.exec(`
      UPDATE waits SET key = 'L' WHERE child % 2 = 0;
      INSERT INTO records (stream, key, state, due_at, hash, sequence, backfill, changed_at) VALUES ('other', 'L', 'due', 1, '', 1, 0, 0);
      INSERT INTO contents SELECT id, '{}' FROM records WHERE key = 'L'`);
    const claims = await Promise.all([store.claim(parent), store.claim({ ...parent, key: "L" })]);
    await Promise.all([
      store.end(claims[0]!, { kind: "skip", reason: "left out" }),
      store.end(claims[1]!, { kind: "bind", binding, applied: written({}) }),
    ]);
    await store.resume();
    expect(numberOf(of, DUE)).toBe(RECORDS);
  });
});

it("a start wakes the children that a killed process had left", async () => {
  await using place = await sqlitePlace();
  await using of = await large();
  makeWaiting(of);
  of.killedAfter(({ steps }) => void steps.carryOut(endClaim(steps.carryOut(claimed)!, bind, 2)));
  await writeFile(join(place.dataDir, "svcsync.db"), of.db.serialize());
  const options = { clock: of.clock, logger: silentLogger };
  {
    await using operator = await place.open({ as: "operator", ...options });
    expect((await operator.counts()).get("customers")).toEqual({
      due: WOKEN_AT_ONCE,
      waiting: RECORDS - WOKEN_AT_ONCE,
    });
  }
  await using store = await place.open({ as: "daemon", ...options });
  expect((await store.counts()).get("customers")).toEqual({ due: RECORDS });
});

it("finds what is next due besides very many that wait for others in parts", async () => {
  await using of = await large();
  of.db.exec(`
    UPDATE records SET state = 'waiting', due_at = sequence / 3, error = '{"code":"E_CHILDREN_FIRST"}' WHERE stream = 'customers'`);
  const streams = ["other", "customers"];
  const leftOut = { errors: ["E_CHILDREN_FIRST"], after: RECORDS } as const;
  of.killedAfter(({ schedule }) => {
    expect(readInParts(schedule.findingNextDueAt(streams, leftOut))).toEqual({ found: undefined, parts: 3 });
  });
  for (const key of [10_000, 5_000, 4_999, 0].map(keyOf)) {
    of.db.exec(`UPDATE records SET error = NULL WHERE key = '${key}'`);
    const dueAt = numberOf(of, `SELECT due_at FROM records WHERE key = '${key}'`);
    expect(await of.store.nextDueAt(streams, leftOut)).toBe(dueAt);
  }
});

describe("very many deletions", () => {
  it("are counted in parts, and each once, with the first keys", async () => {
    await using of = await large();
    of.db.exec(`
      INSERT INTO deletions (record, stream, told_at) SELECT id, stream, 100000 - sequence FROM records WHERE stream = 'customers';
      UPDATE records SET state = 'due', due_at = 1 WHERE key < 'K09000';
      UPDATE deletions SET done = 1 WHERE record > 9500;
      UPDATE deletions SET told_at = 5 WHERE record = 2`);
    of.killedAfter(({ deletions }) => {
      const { found, parts } = readInParts(deletions.findingOpen("customers", 3));
      expect(found).toEqual({ count: 9_000, examples: [0, 1, 2].map(keyOf) });
      expect(parts).toBeGreaterThan(2);
      const all = readInParts(deletions.counting("customers", { since: 0, confirmedAt: 0 }));
      expect([all.found, all.parts > 2]).toEqual([9_501, true]);
      // What was carried out counts from 90,101 on, and what was told of before counts only while it is open.
      const some = readInParts(deletions.counting("customers", { since: 90_100, confirmedAt: 90_000 }));
      expect(some.found).toBe(8_999 + 399);
      expect(readInParts(deletions.counting("customers", { since: 0, confirmedAt: 95_000 })).found).toBe(4_998);
    });
  });
});

describe("the deletion of one among very many that are due", () => {
  const query = { since: 0, confirmedAt: 0, limit: 7 };

  it("is not counted while more are due than one look goes through, and then is", async () => {
    await using of = await large();
    const { db, store } = of;
    db.exec(`
      INSERT INTO contents (record, row) SELECT id, '{}' FROM records;
      INSERT INTO deletions (record, stream, told_at) SELECT id, stream, sequence FROM records WHERE stream = 'customers';
      UPDATE records SET state = 'due', due_at = 1, deleted = 1 WHERE key <= 'K02001'`);
    const claim = (await store.claim({ stream: "customers", key: keyOf(2_001) }))!;
    db.exec("UPDATE records SET changed_at = 2, due_at = NULL, state = 'waiting' WHERE key = 'K02000'");
    expect(await store.announceDeletion(claim, query)).toEqual({ toldAt: 2_002, count: 7, isCounted: true });
    db.exec("UPDATE records SET due_at = 1, state = 'due' WHERE key = 'K02000'");
    expect(await store.announceDeletion(claim, query)).toEqual({ toldAt: 2_002, count: 7, isCounted: false });
    db.exec("UPDATE records SET due_at = NULL, state = 'waiting' WHERE key = 'K00000'");
    expect(await store.announceDeletion(claim, query)).toMatchObject({ isCounted: true });
    db.exec("UPDATE deletions SET done = 1 WHERE record = 7");
    expect(await store.announceDeletion(claim, query)).toMatchObject({ isCounted: false });
  });
});

describe("recent acts on very many records", () => {
  it("are counted in parts, and each once", async () => {
    await using of = await large();
    const { db, clock, store } = of;
    const anna = { name: "anna", via: "cli" } as const;
    await store.acts.save("customers", { action: "reread", outcome: "from the beginning" }, anna);
    db.exec("UPDATE records SET state = 'parked' WHERE stream = 'customers'");
    const since = clock.now();
    clock.at += 60_000 - (since % 60_000);
    // Each part of the retry has a moment of its own; the last ones belong to the next minute.
    const now = clock.now.bind(clock);
    let asked = 0;
    clock.now = () => now() + 15_000 * Math.min(5, Math.floor(asked++ / 4));
    await store.retryNow({ states: ["parked"] }, anna);
    const moments = db.prepare("SELECT at, count(*) AS count FROM audit WHERE key <> '' GROUP BY at").all();
    expect(moments.length).toBeGreaterThan(3);
    const query = { since, limit: 9 };
    const acts = await store.acts.recent(query);
    expect(acts.map(({ count }) => count)).toEqual(
      db.prepare("SELECT count(*) FROM audit GROUP BY at / 60000, key = '' ORDER BY max(id) DESC").pluck().all(),
    );
    expect(acts[0]).toMatchObject({ stream: "customers", action: "retry", by: anna });
    expect(acts.reduce((sum, { count }) => sum + count, 0)).toBe(RECORDS + 1);
    expect(await store.acts.recent({ ...query, limit: 1 })).toEqual(acts.slice(0, 1));
    of.killedAfter(({ recentActs }) => expect(readInParts(recentActs.finding(query)).parts).toBeGreaterThan(2));
  });
});

/** How often the retry rests; in each rest the other one writes. */
const rests = async (as: "daemon" | "operator") => {
  await using place = await sqlitePlace();
  await using of = await large();
  // At least sixteen parts.
  of.db.exec("UPDATE records SET state = 'parked' WHERE key < 'K08000'");
  await writeFile(join(place.dataDir, "svcsync.db"), of.db.serialize());
  const options = { clock: of.clock, logger: silentLogger };
  await using daemon = await place.open({ as: "daemon", ...options });
  await using operator = await place.open({ as: "operator", ...options });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const state = { isDone: false };
  let writes = 0;
  const retried = (as === "daemon" ? daemon : operator)
    .retryNow({ stream: "customers", states: ["parked"] })
    .finally(() => (state.isDone = true));
  while (!state.isDone) {
    await nextTurn();
    if (vi.getTimerCount() === 0) continue;
    await daemon.stage("other", { changes: [], cursor: writes, backfill: false, complete: true });
    writes++;
    vi.runAllTimers();
  }
  expect(await retried).toBe(8_000);
  return writes;
};

describe("a retry of very many records", () => {
  afterEach(() => void vi.useRealTimers());

  it("by a command leaves the daemon a rest between two parts in which it writes", async () => {
    expect(await rests("operator")).toBeGreaterThanOrEqual(16);
  });

  it("by the daemon takes none", async () => {
    expect(await rests("daemon")).toBe(0);
  });
});
