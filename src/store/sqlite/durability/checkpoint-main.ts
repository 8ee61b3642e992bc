import { parentPort, workerData } from "node:worker_threads";
import SqliteDatabase from "better-sqlite3";

/** A thread that makes a checkpoint of the store's log on request; see {@link Checkpoints}. */
const db = new SqliteDatabase(String(workerData), { fileMustExist: true });
const checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
parentPort?.on("message", () => {
  checkpoint.get();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage("done");
});
