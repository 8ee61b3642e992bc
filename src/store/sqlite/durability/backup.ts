import { once } from "node:events";
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { Worker } from "node:worker_threads";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { z } from "zod";
import { errorFacts, StopError } from "#model";
import { createsNote, restoredNote } from "../../facts.ts";
import { storeFailure } from "./failures.ts";

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

/**
 * What a store must not believe that is older than the service: records that were created since are unknown to it, so what
 * the service holds is read whole, and people are asked about what no record is bound to.
 */
const NOT_BELIEVED = `
  UPDATE match_indexes SET read_at = NULL;
  UPDATE streams SET adoption = NULL, adoption_at = NULL;
  INSERT INTO notes (name, value) VALUES ('${restoredNote.name}', 'true')
    ON CONFLICT (name) DO UPDATE SET value = 'true'`;

/** Makes the store one that is older than the service; it counts on from `creates`, where that is known. */
export function markRestored(db: Database, creates?: number): void {
  db.exec(NOT_BELIEVED);
  if (creates === undefined) return;
  db.prepare<[string, string]>(
    "INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
  ).run(createsNote.name, JSON.stringify(creates));
}

const verified = z.object({ recordCount: z.number(), bindingCount: z.number() });

/** What a whole copy holds. */
export type VerifiedBackup = z.infer<typeof verified>;

/**
 * Opens a copy of the store and reads all of it, beside the event loop: structure, indexes and checksums of SQLite, and how many
 * records and bindings it has.
 * @throws {StopError} E_BACKUP_DAMAGED when it is not a whole store.
 */
export async function verifyBackup(path: string): Promise<VerifiedBackup> {
  const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  const thread = new Worker(new URL(`./verify-main${ending}`, import.meta.url), {
    workerData: path,
    execArgv: ending === ".ts" ? ["--experimental-strip-types"] : [],
  });
  try {
    const [found]: unknown[] = await once(thread, "message");
    return verified.parse(found);
  } catch (cause) {
    const message = `the copy ${path} is damaged: ${errorFacts(cause).message}`;
    throw new StopError("E_BACKUP_DAMAGED", message, { cause });
  } finally {
    await thread.terminate();
  }
}
