import Database from "better-sqlite3";
import type { StorePlace } from "../conformance/store-scene.ts";
import { migrate } from "../../src/store/sqlite/durability/migrate.ts";
import { sqliteMigrations } from "../../src/store/sqlite/migrations/index.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { giveBackClaims } from "../../src/store/sqlite/tables/claims.ts";

/** Nothing is kept, so there is nothing to wait for. */
const noDisk = { reached: () => Promise.resolve(), close: () => Promise.resolve() };

/**
 * A store in memory: the tables and steps of the real one, without its files. It has no lock either, since no other process can
 * open it. A store of it takes milliseconds, so it is what tests of the pipeline use.
 */
export async function memoryPlace(): Promise<StorePlace> {
  const db = new Database(":memory:");
  db.pragma("foreign_keys = ON");
  migrate(db, sqliteMigrations);
  return {
    open: async ({ as, clock, logger, leaseMs = 60_000, redact = (text) => text }) => {
      if (as === "daemon") giveBackClaims(db, clock, logger);
      return new SqliteStore({ db, clock, logger, leaseMs, redact, disk: noDisk, close: () => {} });
    },
    [Symbol.asyncDispose]: async () => {
      db.close();
    },
  };
}
