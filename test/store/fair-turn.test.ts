import { setImmediate as nextTurn } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { systemClock } from "#model";
import { silentLogger } from "../kit/logger.ts";
import { migrate } from "../../src/store/sqlite/durability/migrate.ts";
import { FairTurn } from "../../src/store/sqlite/fair-turn.ts";
import { sqliteMigrations } from "../../src/store/sqlite/migrations/index.ts";
import { makeStoreDeps } from "../../src/store/sqlite/parts.ts";

describe("a turn of the event loop", () => {
  it("is long once reads have followed each other for 10 ms, and the next one is not", async () => {
    let now = 1_000;
    const turn = new FairTurn(() => now);
    expect(turn.isLong()).toBe(false);
    now += 9;
    expect(turn.isLong()).toBe(false);
    now += 1;
    expect(turn.isLong()).toBe(true);
    await nextTurn();
    expect(turn.isLong()).toBe(false);
  });
});

describe("a count of many records", () => {
  it.each([19_999, 20_000, 20_001, 40_000])("can be interrupted after each 20,000, and misses none of %i", (count) => {
    const db = new Database(":memory:");
    migrate(db, sqliteMigrations);
    db.exec(`
      INSERT INTO streams (stream) VALUES ('a'), ('b');
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      INSERT INTO records (stream, key, state, hash, sequence, backfill, changed_at)
      SELECT s.stream, n, 'applied', '', 1, 0, 0 FROM streams s, numbers;
      UPDATE records SET state = 'parked' WHERE key = '7'`);
    const counting = makeStoreDeps(db, systemClock, silentLogger).views.counting();
    let pauses = 0;
    let step = counting.next();
    for (; !step.done; step = counting.next()) pauses++;
    const each = { applied: count - 1, parked: 1 };
    expect([...step.value]).toEqual([
      ["a", each],
      ["b", each],
    ]);
    expect(pauses).toBe(2 * Math.floor((count - 2) / 20_000));
  });
});
