import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { RESTORED_NOTE } from "../facts.ts";
import { storeFailure } from "./failures.ts";

/** Pages per step: the event loop is free between two of them. */
const PAGES_PER_STEP = 1_000;

/**
 * What a copy must not believe once it is put in the store's place: records that were created since are unknown to it, so
 * what the service holds is read anew, and people are asked about what nobody has bound.
 */
const NOT_KEPT = `
  UPDATE match_indexes SET read_at = NULL;
  UPDATE streams SET adoption = NULL, adoption_at = NULL;
  INSERT INTO notes (name, value) VALUES ('${RESTORED_NOTE}', 'true')
    ON CONFLICT (name) DO UPDATE SET value = 'true'`;

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
    copy.exec(NOT_KEPT);
  } finally {
    copy.close();
  }
}
