import Database from "better-sqlite3";
import { z } from "zod";
import type { Key } from "#model";
import type { Note } from "#store";
import { SetClock } from "../kit/clock.ts";
import { silentLogger } from "../kit/logger.ts";
import { migrate } from "../../src/store/sqlite/durability/migrate.ts";
import { sqliteMigrations } from "../../src/store/sqlite/migrations/index.ts";
import { makeStoreDeps } from "../../src/store/sqlite/parts.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";

/** More than two parts. */
export const RECORDS = 10_001;
const noDisk = { reached: () => Promise.resolve(), close: () => Promise.resolve() };
const otherNote: Note<boolean> = { name: "other", schema: z.boolean() };

export const keyOf = (number: number): Key => `K${String(number).padStart(5, "0")}`;

type Deps = ReturnType<typeof makeStoreDeps>;

export interface Large extends AsyncDisposable {
  readonly db: Database.Database;
  readonly clock: SetClock;
  readonly store: SqliteStore;
  /** Takes one step, as a process does that is killed after it. */
  killedAfter<T>(step: (deps: Deps) => T): T;
}

/** A store with applied records of the stream "customers", and one record of another stream. */
export async function large(): Promise<Large> {
  const db = new Database(":memory:");
  migrate(db, sqliteMigrations);
  db.exec(`
    INSERT INTO streams (stream, sequence, fingerprint) VALUES ('customers', ${RECORDS}, 'a'), ('other', 1, 'a');
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${RECORDS})
    INSERT INTO records (stream, key, state, hash, sequence, backfill, changed_at)
    SELECT 'customers', printf('K%05d', n), 'applied', '', n + 1, 0, 0 FROM numbers;
    INSERT INTO records (stream, key, state, hash, sequence, backfill, changed_at) VALUES ('other', 'K', 'applied', '', 1, 0, 0)`);
  const clock = new SetClock();
  const store = new SqliteStore({
    db,
    clock,
    logger: silentLogger,
    leaseMs: 60_000,
    disk: noDisk,
    close: () => db.close(),
    redact: (text) => text,
    now: () => 0,
  });
  return {
    db,
    clock,
    store,
    killedAfter: (step) => {
      const deps = makeStoreDeps(db, clock, silentLogger);
      return db.transaction(() => step(deps))();
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** What a query finds when another step is done that was asked for right after this one. */
export async function beside({ db, store }: Large, long: () => Promise<unknown>, query: string): Promise<unknown> {
  const done = long();
  await store.saveNote(otherNote, true);
  const found = db.prepare(query).pluck().get();
  await done;
  return found;
}
