import type { Database } from "better-sqlite3";
import { errorFacts, RetryError } from "#model";

/**
 * Rewrites the store's files. Overwritten rows leave their bytes in the file's free space and in its log, and moved rows leave copies. Only
 * this removes them.
 */
export class Rewriting {
  readonly #db: Database;
  readonly #read: (work: () => void) => Promise<void>;

  /** `read` runs work between two steps. */
  constructor(db: Database, read: (work: () => void) => Promise<void>) {
    this.#db = db;
    this.#read = read;
  }

  /** @throws {RetryError} E_FORGET_UNFINISHED when the files could not be rewritten. */
  run(): Promise<void> {
    return this.#read(() => this.#rewrite());
  }

  #rewrite(): void {
    try {
      this.#db.exec("VACUUM");
      const isRead = this.#db.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) === 1;
      if (isRead) throw new Error("another process reads the log");
    } catch (cause) {
      throw new RetryError(
        "E_FORGET_UNFINISHED",
        `the record was forgotten, but ${this.#db.name} may still hold old bytes of it, since it could not be rewritten (${errorFacts(cause).message}): forget it again`,
        { cause },
      );
    }
  }
}
