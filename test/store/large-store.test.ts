import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { systemClock, type Key } from "#model";
import type { Note, Store } from "#store";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { migrate } from "../../src/store/sqlite/durability/migrate.ts";
import { migrations } from "../../src/store/sqlite/migrations/index.ts";
import { makeStoreDeps } from "../../src/store/sqlite/parts.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";

/** More than two parts. */
const RECORDS = 10_001;
const noDisk = { reached: () => Promise.resolve(), close: () => Promise.resolve() };
const otherNote: Note<boolean> = { name: "other", schema: z.boolean() };

const keyOf = (number: number): Key => `K${String(number).padStart(5, "0")}`;

interface Large extends AsyncDisposable {
  readonly db: Database.Database;
  readonly store: Store;
}

/** A store with applied records of the stream "customers", and one record of another stream. */
async function large(): Promise<Large> {
  const db = new Database(":memory:");
  migrate(db, migrations);
  db.exec(`
    INSERT INTO streams (stream, sequence, fingerprint) VALUES ('customers', ${RECORDS}, 'a'), ('other', 1, 'a');
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${RECORDS})
    INSERT INTO records (stream, key, state, hash, sequence, backfill, changed_at)
    SELECT 'customers', printf('K%05d', n), 'applied', '', n + 1, 0, 0 FROM numbers;
    INSERT INTO records (stream, key, state, hash, sequence, backfill, changed_at) VALUES ('other', 'K', 'applied', '', 1, 0, 0)`);
  const store = new SqliteStore({
    db,
    clock: new SetClock(),
    logger: silentLogger,
    leaseMs: 60_000,
    disk: noDisk,
    close: () => db.close(),
    redact: (text) => text,
  });
  return { db, store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

/** What a query finds when another step is done that was asked for right after this one. */
async function beside({ db, store }: Large, long: () => Promise<unknown>, query: string): Promise<unknown> {
  const done = long();
  await store.saveNote(otherNote, true);
  const found = db.prepare(query).pluck().get();
  await done;
  return found;
}

const SEEN = "SELECT count(*) FROM seen";

describe("what touches all records of a large store", () => {
  it("ends a sweep in parts, and misses no suspect of any of them", async () => {
    await using of = await large();
    const { db, store } = of;
    const missing = [0, 4_999, 5_000, 5_001, 9_999, 10_000].map(keyOf);
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
    const { sweeps } = makeStoreDeps(db, systemClock, 1, silentLogger);
    expect(sweeps.forgetSeen("customers", number - 1)).toBe(0);
    expect(sweeps.forgetSeen("customers", number)).toBe(5_000);
  });

  it("makes a stream due for another mapping in parts, and keeps its fingerprint at the end", async () => {
    await using of = await large();
    const { db, store } = of;
    const { remapping } = makeStoreDeps(db, systemClock, 1, silentLogger);
    expect(remapping.begin("customers", "b")).toBe(true);
    expect(remapping.wake("customers", "")).toEqual({ count: 5_000, next: keyOf(5_000) });
    expect(await store.fingerprint("customers")).toBe("a");
    expect(await store.remap("customers", "b")).toBe(RECORDS);
    expect(await store.fingerprint("customers")).toBe("b");
    expect(Object.fromEntries(await store.counts())).toEqual({ customers: { due: RECORDS }, other: { applied: 1 } });
  });

  it("removes old history in parts", async () => {
    await using of = await large();
    const { db, store } = of;
    db.exec(`
      INSERT INTO audit (at, stream, key, action, resource, outcome)
      SELECT sequence, stream, key, 'create', '', 'created' FROM records WHERE stream = 'customers'`);
    let count = 0;
    const prune = async () => (count = await store.pruneAudit(RECORDS));
    expect(await beside(of, prune, "SELECT count(*) FROM audit")).toBe(RECORDS - 2_000);
    expect(count).toBe(RECORDS - 1);
    expect(await store.audit({ limit: 9 })).toMatchObject([{ at: RECORDS }]);
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
