import Database from "better-sqlite3";
import { sleep } from "#model";
import { sql } from "../sql-text.ts";
import type { InboxEngine, QueryResult, SqlCell, WritingSession } from "./engine.ts";
import { lockWaitMs } from "./lock-wait.ts";
import { faultCode } from "./network-fault.ts";
import { fileAt } from "./sqlite-file.ts";
import { sqliteKind } from "./sqlite-kind.ts";

const duplicate = /^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE|ROWID)$/;
const refused = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG)/;
/** How often to try again while another process writes: SQLite itself would keep this whole process waiting. */
const againMs = 20;

export function sqliteInbox(path: string, timeoutMs: number): InboxEngine {
  return {
    connect: async () => new SqliteInboxSession(path, Math.min(lockWaitMs, timeoutMs)),
    // Only now, not at the first row: a transaction that begins with a read cannot wait for a writer.
    begin: "begin immediate",
    mostValues: 30_000,
    isDuplicate: (error) => duplicate.test(faultCode(error) ?? ""),
    isRefused: (error) => refused.test(faultCode(error) ?? ""),
    columns: (table) => sql`
        select name, type, null, null, null, "notnull" = 1 and dflt_value is null
        from pragma_table_info(${table.slice(table.lastIndexOf(".") + 1)})`,
    countedIn: () => "characters",
  };
}

/** A SQLite file that exists, opened for writing. */
class SqliteInboxSession implements WritingSession {
  readonly #path: string;
  readonly #file: string | undefined;
  readonly #database: Database.Database;
  readonly #waitMs: number;

  constructor(path: string, waitMs: number) {
    this.#path = path;
    this.#waitMs = waitMs;
    this.#file = fileAt(path);
    this.#database = new Database(path, { fileMustExist: true, timeout: 0 });
    // What was handed over is written down as delivered, so it must outlive a loss of power.
    this.#database.pragma("synchronous = full");
  }

  /** Whether another file has replaced this one. */
  get isSpent(): boolean {
    return fileAt(this.#path) !== this.#file;
  }

  async query(text: string, values: readonly unknown[], signal: AbortSignal): Promise<QueryResult> {
    return await this.#patiently(signal, () => {
      const statement = this.#database.prepare<unknown[], SqlCell[]>(text);
      if (!statement.reader) {
        statement.run(...values);
        return { columns: [], rows: [] };
      }
      const rows = statement
        .raw(true)
        .safeIntegers(true)
        .all(...values);
      const columns = statement.columns().map(({ name, type }) => ({ name, kind: sqliteKind(type), type: type ?? "" }));
      return { columns, rows };
    });
  }

  async command(text: string, signal: AbortSignal): Promise<void> {
    await this.#patiently(signal, () => this.#database.exec(text));
  }

  async end(): Promise<void> {
    this.#database.close();
  }

  destroy(): void {
    this.#database.close();
  }

  /** Also a commit may find readers in its way: the transaction is still open then. */
  async #patiently<Result>(signal: AbortSignal, work: () => Result): Promise<Result> {
    const deadline = performance.now() + this.#waitMs;
    for (;;) {
      signal.throwIfAborted();
      try {
        return work();
      } catch (error) {
        const isBusy = /^SQLITE_(BUSY|LOCKED)/.test(faultCode(error) ?? "");
        if (!isBusy || performance.now() > deadline) throw error;
      }
      await sleep(againMs, signal);
    }
  }
}
