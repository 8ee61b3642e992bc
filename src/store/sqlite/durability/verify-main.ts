import { parentPort, workerData } from "node:worker_threads";
import SqliteDatabase from "better-sqlite3";

/** A thread that reads a whole copy of the store; see {@link verifyBackup}. */
// Not read-only: only a connection that may write removes its -wal and -shm files.
const db = new SqliteDatabase(String(workerData), { fileMustExist: true });
try {
  const found = String(db.pragma("integrity_check(1)", { simple: true }));
  if (found !== "ok") throw new Error(found);
  const count = (table: string) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  const counts = { recordCount: count("records"), bindingCount: count("bindings") };
  db.close();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(counts);
} finally {
  if (db.open) db.close();
}
