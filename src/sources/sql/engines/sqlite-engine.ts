import { realpath } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import type Database from "better-sqlite3";
import { messageOf } from "#model";
import type { SqlSettings } from "../settings.ts";
import { sql, unsetText } from "../sql-text.ts";
import { scalar, type SqlCell, type Engine, type DriverFault, type QueryResult, type SqlSession } from "./engine.ts";
import { faultCode } from "./network-fault.ts";
import { RowBudget } from "./row-budget.ts";
import { contentAt, fileAt, openFile, sqlitePath } from "./sqlite-file.ts";
import { sqliteInbox } from "./sqlite-inbox.ts";
import { sqliteKind } from "./sqlite-kind.ts";

/** The longest that other work waits for rows, unless SQLite itself takes longer to find one. */
const turnMs = 20;
/**
 * Reading the clock takes a tenth of the time of fetching a row. If it was last read less than `quickMs` ago, the next `quickRows`
 * rows are fetched without reading it.
 */
const quickMs = 1;
const quickRows = 15;
/**
 * The cache of each connection, besides the system's own. With SQLite's default of 2,000 KB, reading 25,000 rows takes as much
 * processor time, and four idle streams take 6 MB more memory.
 */
const cacheKb = 500;

const clock = sql`cast((julianday('now') - 2440587.5) * 86400000 as integer)`;

/** SQLite files, opened read-only; another process may write them meanwhile (WAL or not). */
export function sqliteEngine(settings: SqlSettings): Engine {
  const path = sqlitePath(settings.url);
  let isCopy = false;
  return {
    name: "sqlite",
    rowValues: true,
    // There is one writer at a time: it draws a number and commits before the next writer draws one.
    exactSequence: true,
    async connect() {
      const session = new SqliteSession(path, settings.statementTimeout);
      ({ isCopy } = session);
      return session;
    },
    inbox: sqliteInbox(path, settings.statementTimeout),
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
      // Numbers sort before texts, so this also finds a number that was stored among texts. NULL is bound, because SQLite makes
      // `is null` on a NOT NULL column a constant and then reads the whole table.
      return unsetText(name, text ?? "time", sql`${name} is ${null}`);
    },
    async moment(ask) {
      return { atMs: Number(await scalar(ask, sql`select ${clock}`)), open: [], oldestMs: undefined };
    },
    clock,
    async identity(ask) {
      // A file that cannot be read is no other one.
      await scalar(ask, sql`select count(*) from sqlite_schema where 1 = 0`);
      return { address: await realpath(path), part: "" };
    },
    async version(ask) {
      const version = `SQLite ${String(await scalar(ask, sql`select sqlite_version()`))}`;
      return isCopy
        ? `${version}, a copy in memory: svcsync may not write beside the file, which is in WAL mode`
        : version;
    },
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

class SqliteSession implements SqlSession {
  readonly #path: string;
  /** Identifies the file that was at the path before it was opened; of a copy, what it held. */
  readonly #file: string | undefined;
  readonly isCopy: boolean;
  readonly #database: Database.Database;
  readonly #timeoutMs: number;
  /** The last statement. It is kept because all pages of a poll but the first use the same one. */
  #statement: Database.Statement<unknown[], SqlCell[]> | undefined;
  #isReading = false;
  #isDestroyed = false;

  constructor(path: string, timeoutMs: number) {
    this.#path = path;
    this.#timeoutMs = timeoutMs;
    const file = fileAt(path);
    const content = file === undefined ? undefined : contentAt(path);
    const { database, isCopy } = openFile(path);
    this.#file = isCopy ? content : file;
    this.isCopy = isCopy;
    this.#database = database;
    this.#database.pragma("query_only = on");
    this.#database.pragma(`cache_size = -${cacheKb}`);
  }

  /** Whether another file, such as a new export, has replaced this one. */
  get isSpent(): boolean {
    const file = fileAt(this.#path);
    return (file !== undefined && this.isCopy ? contentAt(this.#path) : file) !== this.#file;
  }

  /** Fetches rows one by one. Between them the time-out and the signal are checked, and other work runs. */
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
    // Only now, because a statement notices a schema that another process changed only when it runs.
    const columns = statement.columns().map(({ name, type }) => ({ name, kind: sqliteKind(type), type: type ?? "" }));
    return { columns, rows, isCut };
  }

  #prepared(text: string): Database.Statement<unknown[], SqlCell[]> {
    if (this.#statement?.source !== text)
      this.#statement = this.#database.prepare<unknown[], SqlCell[]>(text).raw(true).safeIntegers(true);
    return this.#statement;
  }

  async end(): Promise<void> {
    this.#database.close();
  }

  /** Closes the file, but not under a running statement: the read closes it when it ends between two rows. */
  destroy(): void {
    this.#isDestroyed = true;
    if (!this.#isReading) this.#database.close();
  }
}

function statementTimeout(timeoutMs: number): Error {
  return Object.assign(new Error(`no end after ${timeoutMs} ms`), { code: "SVCSYNC_TIMEOUT" });
}

const codes: readonly (readonly [RegExp, DriverFault["code"]])[] = [
  [/^SVCSYNC_TIMEOUT$/, "E_SOURCE_TIMEOUT"],
  [/^SQLITE_(CANTOPEN|IOERR)/, "E_SOURCE_UNREACHABLE"],
  [/^SQLITE_(BUSY|LOCKED)/, "E_SOURCE_BUSY"],
  [/^SQLITE_(READONLY|PERM|AUTH)/, "E_SOURCE_FORBIDDEN"],
  [/^SQLITE_(NOTADB|CORRUPT)/, "E_SOURCE_DATABASE"],
];

function fault(error: unknown): DriverFault | undefined {
  const text = messageOf(error);
  const [, table] = /no such table: (?:\w+\.)?(.+)/.exec(text) ?? [];
  if (table !== undefined) return { code: "E_SOURCE_TABLE", subject: table };
  const [, column] = /no such column: (.+)/.exec(text) ?? [];
  if (column !== undefined) return { code: "E_SOURCE_COLUMN", subject: column };
  if (/directory does not exist/.test(text)) return { code: "E_SOURCE_UNREACHABLE" };
  const known = codes.find(([pattern]) => pattern.test(faultCode(error) ?? ""));
  return known && { code: known[1] };
}
