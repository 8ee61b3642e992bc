import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { messageOf } from "#model";
import type { SqlSettings } from "../settings.ts";
import { sql, unsetText } from "../sql-text.ts";
import {
  scalar,
  type Cell,
  type ColumnKind,
  type Engine,
  type Fault,
  type QueryResult,
  type Session,
} from "./engine.ts";
import { errorCode } from "./network-fault.ts";
import { RowBudget } from "./row-budget.ts";

/** A writer of the ERP may hold the file this long before a read gives up. */
const busyTimeoutMs = 5_000;
/** So long other work waits for a row at most, unless SQLite itself takes longer to find one. */
const turnMs = 20;
/** To read the clock takes a tenth of what it takes to fetch a row: after a time as short as this, so many rows are fetched without. */
const quickMs = 1;
const quickRows = 15;
/**
 * What each connection keeps of the file beside the system's own cache. With SQLite's default of 2,000 KB a reading of 25,000 rows takes as
 * much processor time, and four idle streams 6 MB more of memory.
 */
const cacheKb = 500;

const clock = sql`cast((julianday('now') - 2440587.5) * 86400000 as integer)`;

/** SQLite files, opened read-only; another process may write them meanwhile (WAL or not). */
export function sqliteEngine(settings: SqlSettings): Engine {
  const path = sqlitePath(settings.url);
  return {
    name: "sqlite",
    rowValues: true,
    // There is one writer at a time: a number is drawn and committed before the next writer draws one.
    exactSequence: true,
    connect: async () => new SqliteSession(path, settings.statementTimeout),
    limit: (count) => sql.raw(`limit ${count}`),
    exact: (column) => sql.id(column.name),
    bound: (cell) => sql`${cell}`,
    equals(column, text) {
      const name = sql.id(column.name);
      const whole = /^-?(0|[1-9]\d{0,17})$/.test(text);
      return whole ? sql`(${name} = ${text} or ${name} = ${BigInt(text)})` : sql`${name} = ${text}`;
    },
    unset(column, text) {
      const name = sql.id(column.name);
      // Every number sorts before every text: this also finds a number that was stored among texts. NULL is bound, because SQLite
      // turns `is null` of a NOT NULL column into a constant and then reads the whole table.
      return unsetText(name, text ?? "time", sql`${name} is ${null}`);
    },
    async moment(ask) {
      return { atMs: Number(await scalar(ask, sql`select ${clock}`)), open: [], oldestMs: undefined };
    },
    clock,
    version: async (ask) => `SQLite ${String(await scalar(ask, sql`select sqlite_version()`))}`,
    tables: sql`
        select 'main', name, 1 from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'`,
    primaryKey: (table) => sql`select name from pragma_table_info(${plainName(table)}) where pk > 0 order by pk`,
    async indexed(ask, table, column) {
      const plain = plainName(table);
      const kind = await scalar(ask, sql`select type from sqlite_master where name = ${plain}`);
      if (kind !== "table") return undefined;
      const { rows } = await ask(sql`
        select 1 from pragma_index_list(${plain}) as i, pragma_index_info(i.name) as c
        where c.seqno = 0 and c.name = ${column} collate nocase`);
      return rows.length > 0;
    },
    fault,
  };
}

function plainName(table: string): string {
  return table.slice(table.lastIndexOf(".") + 1);
}

/** Tells the file at a path from another one that takes its place; undefined where none can be seen. */
function fileAt(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}/${ino}`;
  } catch {
    return undefined;
  }
}

/** SQLite does not say which file it could not open. */
function opened(path: string): Database.Database {
  try {
    return new Database(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  } catch (thrown) {
    if (thrown instanceof Error) thrown.message = `${path}: ${thrown.message}`;
    throw thrown;
  }
}

class SqliteSession implements Session {
  readonly #path: string;
  /** Which file was at the path before it was opened. */
  readonly #file: string | undefined;
  readonly #database: Database.Database;
  readonly #timeoutMs: number;
  /** The last one: all pages of a poll but the first are the same. */
  #statement: Database.Statement<unknown[], Cell[]> | undefined;
  #isReading = false;
  #isDestroyed = false;

  constructor(path: string, timeoutMs: number) {
    this.#path = path;
    this.#file = fileAt(path);
    this.#timeoutMs = timeoutMs;
    this.#database = opened(path);
    this.#database.pragma("query_only = on");
    this.#database.pragma(`cache_size = -${cacheKb}`);
  }

  /** An export may have put another file in its place. */
  get isSpent(): boolean {
    return fileAt(this.#path) !== this.#file;
  }

  /** Rows are fetched one by one, so that the time-out and the signal are checked, and other work runs, between them. */
  async query(text: string, values: readonly unknown[], signal: AbortSignal, maxBytes?: number): Promise<QueryResult> {
    await setImmediate();
    signal.throwIfAborted();
    const statement = this.#prepared(text);
    const deadline = performance.now() + this.#timeoutMs;
    let turnEnds = performance.now() + turnMs;
    let lookedAt = performance.now();
    let untimed = 0;
    const budget = new RowBudget(maxBytes);
    let isCut = false;
    this.#isReading = true;
    try {
      for (const row of statement.iterate(...values)) {
        if (!budget.take(row)) {
          isCut = true;
          break;
        }
        if (untimed-- > 0) continue;
        const now = performance.now();
        untimed = now - lookedAt < quickMs ? quickRows : 0;
        lookedAt = now;
        if (now > deadline) throw statementTimeout(this.#timeoutMs);
        if (now < turnEnds) continue;
        await setImmediate();
        signal.throwIfAborted();
        turnEnds = performance.now() + turnMs;
      }
    } finally {
      this.#isReading = false;
      if (this.#isDestroyed) this.#database.close();
    }
    const { rows } = budget;
    // Only now: a statement learns of a schema that another process changed when it runs.
    const columns = statement.columns().map(({ name, type }) => ({ name, kind: kindOf(type), type: type ?? "" }));
    return { columns, rows, isCut };
  }

  #prepared(text: string): Database.Statement<unknown[], Cell[]> {
    if (this.#statement?.source !== text)
      this.#statement = this.#database.prepare<unknown[], Cell[]>(text).raw(true).safeIntegers(true);
    return this.#statement;
  }

  async end(): Promise<void> {
    this.#database.close();
  }

  /** A file is not closed under a statement: one that is being read ends it between two rows. */
  destroy(): void {
    this.#isDestroyed = true;
    if (!this.#isReading) this.#database.close();
  }
}

function statementTimeout(timeoutMs: number): Error {
  return Object.assign(new Error(`no end after ${timeoutMs} ms`), { code: "SVCSYNC_TIMEOUT" });
}

/** Declared types are only a hint in SQLite. They matter for two things: no blobs, and date-times are told from text. */
function kindOf(declared: string | null): ColumnKind {
  const type = (declared ?? "").toUpperCase();
  if (type.includes("BLOB") || type.includes("BINARY")) return "binary";
  if (type.includes("DATETIME") || type.includes("TIMESTAMP")) return "any-datetime";
  return "any";
}

function sqlitePath(url: string): string {
  if (url.startsWith("file:")) return fileURLToPath(url);
  const path = url.replace(/^sqlite:/i, "");
  return path.startsWith("//") ? path.slice(2) : path;
}

const codes: readonly (readonly [RegExp, Fault["code"]])[] = [
  [/^SVCSYNC_TIMEOUT$/, "E_SOURCE_TIMEOUT"],
  [/^SQLITE_(CANTOPEN|IOERR)/, "E_SOURCE_UNREACHABLE"],
  [/^SQLITE_(BUSY|LOCKED)/, "E_SOURCE_BUSY"],
  [/^SQLITE_(READONLY|PERM|AUTH)/, "E_SOURCE_FORBIDDEN"],
  [/^SQLITE_(NOTADB|CORRUPT)/, "E_SOURCE_DATABASE"],
];

function fault(error: unknown): Fault | undefined {
  const text = messageOf(error);
  const [, table] = /no such table: (?:\w+\.)?(.+)/.exec(text) ?? [];
  if (table !== undefined) return { code: "E_SOURCE_TABLE", subject: table };
  const [, column] = /no such column: (.+)/.exec(text) ?? [];
  if (column !== undefined) return { code: "E_SOURCE_COLUMN", subject: column };
  if (/directory does not exist/.test(text)) return { code: "E_SOURCE_UNREACHABLE" };
  const known = codes.find(([pattern]) => pattern.test(errorCode(error) ?? ""));
  return known && { code: known[1] };
}
