import { once } from "node:events";
import { chmodSync, closeSync, openSync, renameSync, rmSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { z } from "zod";
import { codeOf, errorFacts, messageOf, StopError, threadFile, threadOptions } from "#model";
import { sqliteFailure } from "./failures.ts";

/**
 * Copies a consistent snapshot of the live store, outside the event loop. The copy is written beside `path` and renamed only once it is
 * complete and on disk.
 * @throws {StopError} E_BACKUP_SPACE, E_BACKUP_FOLDER when the copy cannot be written.
 */
export async function backupStore(db: Database, path: string): Promise<void> {
  const part = `${path}.part`;
  forget(part);
  try {
    closeSync(openSync(part, "wx", 0o600));
    await inThread("backup-main", [db.name, part]);
    chmodSync(part, 0o600);
    renameSync(part, path);
  } catch (thrown) {
    forget(part);
    throw copyFailure(thrown, path);
  }
}

/** A full or read-only disk is always the copy's, because the store is only read. */
function copyFailure(thrown: unknown, path: string): Error {
  const failure = sqliteFailure(thrown, path);
  const code = codeOf(failure);
  if (code !== "E_STORE_FULL" && code !== "E_STORE_READONLY") return failure;
  const [ownCode, wrong] =
    code === "E_STORE_FULL"
      ? (["E_BACKUP_SPACE", "the disk is too full for the copy"] as const)
      : (["E_BACKUP_FOLDER", "the copy cannot be written there; expected a folder that svcsync may write to"] as const);
  return new StopError(ownCode, `${path}: ${wrong} (${messageOf(thrown)})`, { cause: thrown });
}

/** Deletes a copy, together with the files that SQLite leaves beside it on a full disk. */
function forget(copy: string): void {
  for (const ending of ["", "-journal", "-wal", "-shm"]) rmSync(copy + ending, { force: true });
}

const verified = z.object({ recordCount: z.number(), bindingCount: z.number() });

/** Facts about a complete copy. */
export type VerifiedBackup = z.infer<typeof verified>;

/**
 * Opens a copy of the store and reads all of it, outside the event loop: SQLite's structure, indexes and checksums, and the numbers of
 * records and bindings. Deletes an incomplete copy.
 * @throws {StopError} E_BACKUP_DAMAGED when it is not a complete store.
 */
export async function verifyBackup(path: string): Promise<VerifiedBackup> {
  try {
    return verified.parse(await inThread("verify-main", path));
  } catch (cause) {
    forget(path);
    const message = `the copy ${path} is damaged: ${errorFacts(cause).message}`;
    throw new StopError("E_BACKUP_DAMAGED", message, { cause });
  }
}

/** Runs the module in a thread and returns its first message, with which it ends. @throws what the thread throws. */
async function inThread(module: "backup-main" | "verify-main", workerData: unknown): Promise<unknown> {
  const thread = new Worker(threadFile(`store/sqlite/durability/${module}`), {
    workerData,
    execArgv: [...threadOptions],
  });
  try {
    const [said]: unknown[] = await once(thread, "message");
    return said;
  } finally {
    await thread.terminate();
  }
}
