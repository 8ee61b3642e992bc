import { hostname } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { StopError } from "#model";
import { storeBusy } from "../../refusals.ts";
import { makePrivateFile } from "./connection.ts";

/** How long a second daemon waits for the first one to end, in milliseconds, because a restart may overlap stop and start. */
const PATIENCE_MS = 500;

/**
 * The right to be the only daemon of a data directory: an open write transaction on a small file beside the store. The operating system
 * releases the lock however the process ends; there is nothing to clean up.
 */
export class DaemonLock implements Disposable {
  readonly #db: Database.Database;

  private constructor(db: Database.Database) {
    this.#db = db;
  }

  /**
   * `toChange`: takes the lock to change the tables, not to run on them.
   * @throws {StopError} E_STORE_BUSY, with its name, when another live process holds it; E_STORE_LOCK_FILE when the file is not a lock
   * file.
   */
  static take(dataDir: string, wanted: "toRun" | "toChange" = "toRun"): DaemonLock {
    const path = join(dataDir, "svcsync.lock");
    makePrivateFile(path);
    const db = new Database(path, { timeout: PATIENCE_MS });
    try {
      db.exec("CREATE TABLE IF NOT EXISTS holder (name TEXT NOT NULL) STRICT");
      db.exec("BEGIN IMMEDIATE; DELETE FROM holder");
      db.prepare("INSERT INTO holder (name) VALUES (?)").run(`process ${process.pid} on ${hostname()}`);
      // Commit, so that others can read the name, and begin again at once: this transaction is the lock.
      db.exec("COMMIT; BEGIN IMMEDIATE");
      return new DaemonLock(db);
    } catch (thrown) {
      const busy = thrown instanceof Database.SqliteError && thrown.code.startsWith("SQLITE_BUSY");
      const holder = busy ? holderOf(db) : undefined;
      db.close();
      if (isGarbage(thrown)) throw garbage(path, thrown);
      if (!busy) throw thrown;
      throw storeBusy(dataDir, holder, wanted, { cause: thrown, details: { dataDir } });
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

function isGarbage(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && /^SQLITE_(NOTADB|CORRUPT)/.test(thrown.code);
}

/** Deleting the file would lose nothing, but a daemon may hold it, which only a person can know. */
function garbage(path: string, cause: unknown): StopError {
  return new StopError(
    "E_STORE_LOCK_FILE",
    `${path} is no lock file of svcsync. It holds no data, and the store beside it is not concerned: ` +
      "make sure that no svcsync runs on this folder, delete the file, and start again",
    { cause, details: { path } },
  );
}

function holderOf(db: Database.Database): string | undefined {
  try {
    return db.prepare<[], string>("SELECT name FROM holder").pluck().get();
  } catch {
    return undefined;
  }
}
