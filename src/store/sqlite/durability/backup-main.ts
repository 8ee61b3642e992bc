import { closeSync, fsyncSync, openSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import SqliteDatabase from "better-sqlite3";
import { markRestored } from "./restored.ts";

/** A thread that copies a store and waits for the disk; see {@link backupStore}. */
const [from = "", to = ""] = [workerData].flat().map(String);
/** Pages per step, more than any store has: with several steps, SQLite would restart when someone writes between them. */
const ALL_PAGES = 2 ** 31 - 1;

const db = new SqliteDatabase(from, { fileMustExist: true });
try {
  await db.backup(to, { progress: () => ALL_PAGES });
} finally {
  db.close();
}
// Leave a single file, without a log beside it.
const copy = new SqliteDatabase(to);
try {
  markRestored(copy);
} finally {
  copy.close();
}
const file = openSync(to, "r+");
fsyncSync(file);
closeSync(file);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage("done");
