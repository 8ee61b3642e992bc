import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import { DEFAULT_LEASE_MS, type OpenStoreOptions, type Store } from "../contract/index.ts";
import { expectInCharge, FIND_MARK, type MoveMark } from "../move/mark.ts";
import { unprepared } from "../unprepared.ts";
import { DiskSync } from "./durability/disk-sync.ts";
import { giveBackClaims } from "./tables/claims.ts";
import { connect, connectReader, makeDataDir } from "./durability/connection.ts";
import { DaemonLock } from "./durability/daemon-lock.ts";
import { sqliteFailure } from "./durability/failures.ts";
import { expectKnownVersion, migrate, storeVersion } from "./durability/migrate.ts";
import { sqliteMigrations } from "./migrations/index.ts";
import { SqliteStore } from "./store.ts";

/**
 * Opens the store in `dataDir`, creates the directory and the file `svcsync.db` if there are none, and migrates it to this program's
 * version. An operator's command never changes the tables of a running daemon, and a reader changes nothing.
 * @throws {StopError} E_STORE_BUSY when another live daemon holds it (for an operator: and its version is older), E_STORE_NEWER when a
 * newer program wrote it, E_STORE_UNPREPARED for a reader, E_STORE_READONLY, E_STORE_FULL, E_STORE_CORRUPT or E_STORE_FAILED when the disk fails.
 */
export async function openSqliteStore(
  dataDir: string,
  options: OpenStoreOptions & { readonly clock: Clock; readonly logger: Logger },
): Promise<Store> {
  const { as, clock, logger, leaseMs = DEFAULT_LEASE_MS, redact = (text) => text } = options;
  const path = join(dataDir, "svcsync.db");
  let lock: DaemonLock | undefined;
  let db: Database | undefined;
  try {
    if (as === "reader") db = openPrepared(path);
    else {
      makeDataDir(dataDir);
      if (as === "daemon") lock = DaemonLock.take(dataDir);
      db = connect(path);
      bringUpToDate(db, dataDir, { locked: lock !== undefined, logger });
    }
    expectInCharge(db.prepare<[], MoveMark>(FIND_MARK).get(), dataDir);
    if (as === "daemon") {
      const count = giveBackClaims(db, clock, logger);
      if (count > 0) logger.info({ count }, "gave back the claims of a daemon that had died");
    }
    const opened = db;
    const store = new SqliteStore({
      as,
      db,
      clock,
      logger,
      leaseMs,
      redact,
      disk: new DiskSync(`${path}-wal`),
      close: () => {
        opened.close();
        lock?.[Symbol.dispose]();
      },
    });
    if (as === "daemon") await store.resume();
    return store;
  } catch (thrown) {
    db?.close();
    lock?.[Symbol.dispose]();
    throw sqliteFailure(thrown, path);
  }
}

/** @throws {StopError} E_STORE_UNPREPARED, E_STORE_NEWER when it is not a store of this version. */
function openPrepared(path: string): Database {
  if (!existsSync(path)) throw unprepared(path, "nothing");
  const db = connectReader(path);
  try {
    if (storeVersion(db) < sqliteMigrations.length) throw unprepared(path, "older tables");
    expectKnownVersion(db, sqliteMigrations.length);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

/** Migrates the tables, only under the daemon's lock: this daemon holds it, or an operator's command takes it for the migration. */
function bringUpToDate(db: Database, dataDir: string, { locked, logger }: { locked: boolean; logger: Logger }): void {
  const current = storeVersion(db) === sqliteMigrations.length;
  using _lock = locked || current ? undefined : DaemonLock.take(dataDir, "toChange");
  const from = migrate(db, sqliteMigrations);
  if (from !== sqliteMigrations.length)
    logger.info({ from, to: sqliteMigrations.length, path: db.name }, "migrated the store");
}
