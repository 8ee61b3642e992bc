import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { storeFailure } from "./failures.ts";
import { markRestored } from "./restored.ts";

/** Pages per step: the event loop is free between two of them. */
const PAGES_PER_STEP = 1_000;

/**
 * Copies the live store. The copy is written beside `path` and takes its name only when it is whole and on the disk.
 * What is committed through this connection meanwhile is in the copy.
 */
export async function backupStore(db: Database, path: string): Promise<void> {
  const part = `${path}.part`;
  rmSync(part, { force: true });
  try {
    closeSync(openSync(part, "wx", 0o600));
    await db.backup(part, { progress: () => PAGES_PER_STEP });
    forget(part);
    chmodSync(part, 0o600);
    const file = openSync(part, "r+");
    fsyncSync(file);
    closeSync(file);
    renameSync(part, path);
  } catch (thrown) {
    rmSync(part, { force: true });
    throw storeFailure(thrown, path);
  }
}

/** Changes the copy and leaves one file, without a log beside it. */
function forget(path: string): void {
  const copy = new SqliteDatabase(path);
  try {
    markRestored(copy);
  } finally {
    copy.close();
  }
}
