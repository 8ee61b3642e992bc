import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import Database from "better-sqlite3";

/** How long a step waits for the short writes of another process before it fails with E_STORE_LOCKED. */
const BUSY_TIMEOUT_MS = 10_000;
/** The write-ahead log is folded into the file every 16 MB (in pages of 4 KB): rarely enough to stay out of the way. */
const CHECKPOINT_PAGES = 4_096;
/** And cut back to this size afterwards, in bytes, whatever a large transaction made of it. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;
const OWNER_ONLY = 0o600;

/** Makes the directory, readable by its owner only, unless it exists. */
export function makeDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
}

/**
 * Makes sure that a file exists and only its owner can read it; SQLite gives its companions (-wal, -shm) the same mode.
 * An existing file is never opened here: closing it would take away the locks that this process holds on it.
 */
export function makePrivateFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) closeSync(openSync(path, "a", OWNER_ONLY));
  else if ((found.mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY);
}

/** Opens the file with the settings that every connection to the store needs. */
export function connect(path: string): Database.Database {
  makePrivateFile(path);
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.pragma("journal_mode = WAL");
    // A commit survives a kill -9; steps that must survive a power cut wait for the disk beside the event loop.
    db.pragma("synchronous = NORMAL");
    db.pragma("foreign_keys = ON");
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.pragma(`journal_size_limit = ${LOG_LIMIT_BYTES}`);
    db.pragma("cache_size = -32000");
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}
