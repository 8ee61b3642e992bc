import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { silentLogger } from "../kit/logger.ts";
import { readingOver, statementRunner } from "../../src/store/sqlite/statements.ts";
import { makeStoreDeps } from "../../src/store/sqlite/parts.ts";
import { beside, keyOf, large, RECORDS } from "./large-place.ts";

const SEEN = "SELECT count(*) FROM seen";

describe("what touches all records of a large store", () => {
  it("ends a sweep in parts, and misses no suspect of any of them", async () => {
    await using of = await large();
    const { db, store } = of;
    const missing = [0, 999, 1_000, 1_001, 9_999, 10_000].map(keyOf);
    const all = Array.from({ length: RECORDS }, (_, number) => keyOf(number));
    const seen = all.filter((key) => !missing.includes(key));
    const sweep = async () => {
      const number = await store.beginSweep("customers");
      await store.markSeen("customers", number, seen);
      return store.endSweep("customers", number);
    };
    expect(await sweep()).toEqual({ suspects: missing.length, confirmed: [] });
    expect(await sweep()).toEqual({ suspects: 0, confirmed: missing });
    expect(db.prepare(SEEN).pluck().get()).toBe(0);
    const number = await store.beginSweep("customers");
    const end = () => store.endSweep("customers", number);
    expect(await beside(of, end, "SELECT count(*) FROM suspects")).toBeLessThan(RECORDS);
  });

  it("forgets the marks of an unfinished sweep in parts, and none of the sweep that follows", async () => {
    await using of = await large();
    const { db, store } = of;
    const mark = "INSERT INTO seen (stream, key) SELECT stream, key FROM records WHERE stream = 'customers'";
    await store.beginSweep("customers");
    db.exec(mark);
    const number = await store.beginSweep("customers");
    expect(db.prepare(SEEN).pluck().get()).toBe(0);
    db.exec(mark);
    const { sweeps } = makeStoreDeps(db, systemClock, silentLogger);
    expect(sweeps.forgetSeen("customers", number - 1, 5_000)).toBe(0);
    expect(sweeps.forgetSeen("customers", number, 5_000)).toBe(5_000);
  });

  it("makes a stream due for another mapping in parts, and keeps its fingerprint at the end", async () => {
    await using of = await large();
    const { db, store } = of;
    const { remapping } = makeStoreDeps(db, systemClock, silentLogger);
    expect(remapping.begin("customers", "b")).toBe(true);
    expect(remapping.wake("customers", "", 1_000)).toEqual({ count: 1_000, next: keyOf(1_000) });
    expect((await store.stream("customers")).fingerprint).toBe("a");
    expect(await store.remap("customers", "b")).toBe(RECORDS);
    expect((await store.stream("customers")).fingerprint).toBe("b");
    expect(Object.fromEntries(await store.counts())).toEqual({ customers: { due: RECORDS }, other: { applied: 1 } });
  });

  it("removes old history in parts", async () => {
    await using of = await large();
    const { db, store } = of;
    db.exec(`
      INSERT INTO audit (at, stream, key, action, resource, outcome)
      SELECT sequence, stream, key, 'create', '', 'created' FROM records WHERE stream = 'customers'`);
    let count = 0;
    const prune = async () => (count = await store.prune("audit", RECORDS));
    expect(await beside(of, prune, "SELECT count(*) FROM audit")).toBe(RECORDS - 200);
    expect(count).toBe(RECORDS - 1);
    expect(await store.audit({ limit: 9 })).toMatchObject([{ at: RECORDS }]);
  });

  it("removes old exchanges in parts", async () => {
    await using of = await large();
    const { db, store } = of;
    db.exec(`
      INSERT INTO exchanges (stream, key, at, exchange)
      SELECT stream, key, sequence, '{"at":7}' FROM records WHERE stream = 'customers'`);
    let count = 0;
    const prune = async () => (count = await store.prune("exchanges", RECORDS));
    expect(await beside(of, prune, "SELECT count(*) FROM exchanges")).toBe(RECORDS - 200);
    expect(count).toBe(RECORDS - 1);
    expect(await store.watches.exchanges({ stream: "customers", key: keyOf(RECORDS - 1) })).toEqual([{ at: 7 }]);
  });

  it("forgets old deletions in parts, and none that is still open", async () => {
    await using of = await large();
    const { db, store } = of;
    db.exec(`
      INSERT INTO deletions (record, stream, told_at, done)
      SELECT id, stream, sequence, sequence <> 7 FROM records WHERE stream = 'customers'`);
    let count = 0;
    const prune = async () => (count = await store.prune("deletions", RECORDS));
    expect(await beside(of, prune, "SELECT count(*) FROM deletions")).toBe(RECORDS - 200);
    expect(count).toBe(RECORDS - 2);
    expect(db.prepare("SELECT told_at FROM deletions").pluck().all()).toEqual([7, RECORDS]);
  });

  it("empties what returns no longer need in parts, and what they need in none", async () => {
    await using of = await large();
    const { db, store } = of;
    db.exec(`
      INSERT INTO returns (stream, subject, version, kind, hash, content, state, prepared_at, attempts, due_at)
      SELECT 'reports', key, 1, 'fact', '', '{}', CASE WHEN sequence % 2 = 0 THEN 'withdrawn' ELSE 'accepted' END, 1, 0, 1
      FROM records WHERE stream = 'customers'`);
    const full = () => Number(db.prepare("SELECT count(content) FROM returns").pluck().get());
    const emptied: number[] = [];
    const state = { isDone: false };
    const pruned = store.returns.prune(2).finally(() => (state.isDone = true));
    for (let before = full(); !state.isDone; before = full()) {
      await store.returns.saveMark("reports", { beginAt: 1 });
      emptied.push(before - full());
    }
    expect(await pruned).toBe(Math.floor(RECORDS / 2));
    expect(full()).toBe(Math.ceil(RECORDS / 2));
    expect(Math.max(...emptied)).toBeLessThan(1_000);
    expect(emptied.filter((count) => count > 0).length).toBeGreaterThan(5);
  });

  it("counts what a round changed, and what it may be compared with, in parts", async () => {
    await using of = await large();
    const { db, store } = of;
    db.exec(`
      INSERT INTO bindings (record, resource, service_id) SELECT id, 'customer', id FROM records;
      UPDATE records SET deleted = 1 WHERE key = 'K00007';
      UPDATE records SET state = 'due', backfill = 2, due_at = sequence WHERE key >= 'K00001' AND stream = 'customers';
      INSERT INTO audit (at, stream, key, action, resource, outcome)
        SELECT sequence, stream, key, 'update', '', 'updated' FROM records UNION ALL
        SELECT sequence + 20000, stream, key, 'update', '', 'updated' FROM records`);
    const { rounds } = store;
    expect(await rounds.boundCount("customers")).toBe(RECORDS - 1);
    expect(await rounds.undecided("customers", RECORDS - 1)).toEqual({ fresh: RECORDS - 2, again: 0 });
    expect(await rounds.updatedCount("customers", 1)).toBe(RECORDS);
    expect(await rounds.updatedCount("customers", 20_001)).toBe(RECORDS - 1);
    const reading = readingOver<{ count: number }>(
      statementRunner(db),
      { of: "bindings WHERE true", column: "record", after: 0 },
      "SELECT count(*) AS count FROM bindings WHERE record > @from AND record <= @to",
      {},
    );
    const pauses = [];
    let step = reading.next();
    for (; !step.done; step = reading.next()) pauses.push(step.value);
    expect(pauses).toHaveLength(3);
    expect(step.value).toEqual([{ count: 5_001 }, { count: 5_001 }, { count: 0 }]);
  });

  it("makes records due again in parts, each once", async () => {
    await using of = await large();
    const { db, store } = of;
    db.exec("UPDATE records SET state = 'parked'");
    const by = { name: "Ada", via: "cli" } as const;
    const parked = "SELECT count(*) FROM records WHERE state = 'parked'";
    expect(await beside(of, () => store.retryNow({ states: ["parked"] }, by), parked)).toBeGreaterThan(0);
    expect(await store.counts()).toEqual(
      new Map([
        ["customers", { due: RECORDS }],
        ["other", { due: 1 }],
      ]),
    );
    expect(db.prepare("SELECT count(DISTINCT stream || key), count(*) FROM audit").raw().get()).toEqual([
      RECORDS + 1,
      RECORDS + 1,
    ]);
    expect(await store.retryNow({ states: ["parked"] }, by)).toBe(0);
  });
});
