import { createConnection, type Connection, type ConnectionOptions, type FieldPacket } from "mysql2";
import type { SqlCell, Column, ColumnKind, QueryResult, WritingSession } from "../engines/engine.ts";
import { lockWaitMs } from "../engines/lock-wait.ts";
import { RowBudget } from "../engines/row-budget.ts";
import { tlsOptions } from "../engines/tls.ts";
import type { SqlSettings } from "../settings.ts";

/** Added to the server's own time-out. Only a connection that died silently reaches it. */
const graceMs = 10_000;

/** What a session may do: a reading one cannot write, and that of an inbox waits only briefly for a lock. */
const lockWait = lockWaitMs / 1000;
const purposes = {
  read: ["set session transaction isolation level read committed, read only", "sql_mode = 'STRICT_TRANS_TABLES'"],
  inbox: [
    "set session transaction isolation level read committed, read write",
    `sql_mode = 'STRICT_ALL_TABLES', lock_wait_timeout = ${lockWait}, innodb_lock_wait_timeout = ${lockWait}`,
  ],
} as const;

export async function connectMysql(
  settings: SqlSettings,
  purpose: keyof typeof purposes = "read",
): Promise<WritingSession> {
  const url = new URL(settings.url);
  const ssl = tlsOptions(settings.tls);
  const options: ConnectionOptions = {
    host: url.hostname,
    port: url.port === "" ? 3306 : Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    ...(ssl ? { ssl: { ...ssl, verifyIdentity: settings.tls?.mode === "verify" } } : {}),
    connectTimeout: settings.connectTimeout,
    charset: "utf8mb4",
    flags: ["-LOCAL_FILES"],
    rowsAsArray: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    jsonStrings: true,
  };
  const connection = createConnection(options);
  // The next query reports it. Without a listener a lost connection would end the process.
  connection.on("error", () => undefined);
  await connection.promise().connect();
  const session = new MysqlSession(connection, options, settings.statementTimeout + graceMs);
  await session.prepare(settings.statementTimeout, purpose);
  return session;
}

class MysqlSession implements WritingSession {
  readonly #connection: Connection;
  readonly #options: ConnectionOptions;
  readonly #timeoutMs: number;
  #isBusy = false;
  #isSpent = false;

  constructor(connection: Connection, options: ConnectionOptions, timeoutMs: number) {
    this.#connection = connection;
    this.#options = options;
    this.#timeoutMs = timeoutMs;
  }

  /** Sets the session so that it may do what it is for, returns everything in one form, and times out. */
  async prepare(timeoutMs: number, purpose: keyof typeof purposes): Promise<void> {
    const { rows } = await this.query("select version()", [], new AbortController().signal);
    const mariadb = String(rows[0]?.[0]).includes("MariaDB");
    const timeout = mariadb ? `max_statement_time = ${timeoutMs / 1000}` : `max_execution_time = ${timeoutMs}`;
    const connection = this.#connection.promise();
    const [access, modes] = purposes[purpose];
    await connection.query(access);
    await connection.query(`set session time_zone = '+00:00', ${modes}, ${timeout}`);
  }

  get isSpent(): boolean {
    return this.#isSpent;
  }

  async query(text: string, values: readonly unknown[], _signal: AbortSignal, maxBytes?: number): Promise<QueryResult> {
    // The engine binds only text.
    const bound = values.map((value) => (typeof value === "string" ? value : null));
    this.#isBusy = true;
    let unfollow: (() => void) | undefined;
    try {
      return await new Promise<QueryResult>((resolve, reject) => {
        const budget = new RowBudget(maxBytes);
        let columns: readonly Column[] = [];
        const answer = (isCut: boolean) => resolve({ columns, rows: budget.rows, isCut });
        // The driver may report a lost connection, or an answer that cannot be read, to the connection alone.
        this.#connection.once("error", reject);
        unfollow = () => this.#connection.removeListener("error", reject);
        // Code that the driver generates from the columns reads rows faster, but cannot handle a column named __proto__. Only
        // answers with many rows have a budget, and they give their columns names of their own.
        const asked = { sql: text, timeout: this.#timeoutMs, disableEval: maxBytes === undefined };
        const query = this.#connection.execute(asked, bound);
        query.on("error", reject);
        query.on("fields", (fields: readonly FieldPacket[] | undefined) => {
          columns = (fields ?? []).map(columnOf);
        });
        query.on("result", (row: unknown) => {
          if (this.#isSpent || !Array.isArray(row) || budget.take(row.map(cellOf))) return;
          // The protocol cannot stop in the middle of an answer.
          this.destroy();
          answer(true);
        });
        query.on("end", () => answer(false));
      });
    } finally {
      unfollow?.();
      this.#isBusy = false;
    }
  }

  /** In the text protocol: prepared statements cannot begin a transaction. */
  async command(text: string): Promise<void> {
    this.#isBusy = true;
    try {
      await this.#connection.promise().query({ sql: text, timeout: this.#timeoutMs });
    } finally {
      this.#isBusy = false;
    }
  }

  async end(): Promise<void> {
    await this.#connection.promise().end();
  }

  destroy(): void {
    if (this.#isSpent) return;
    this.#isSpent = true;
    const { threadId } = this.#connection;
    this.#connection.destroy();
    if (this.#isBusy) void this.#kill(threadId).catch(() => undefined);
  }

  /** Ends the abandoned query, which the server would otherwise run to its end. */
  async #kill(threadId: number): Promise<void> {
    const other = createConnection(this.#options).promise();
    try {
      await other.query(`kill query ${threadId}`);
    } finally {
      await other.end();
    }
  }
}

/** Column types and flags of the protocol (field_types.h, mysql_com.h). */
const kinds = new Map<number, readonly [type: string, kind: ColumnKind]>([
  [0, ["decimal", "decimal"]],
  [1, ["tinyint", "integer"]],
  [2, ["smallint", "integer"]],
  [3, ["int", "integer"]],
  [4, ["float", "float"]],
  [5, ["double", "float"]],
  [7, ["timestamp", "instant"]],
  [8, ["bigint", "integer"]],
  [9, ["mediumint", "integer"]],
  [10, ["date", "date"]],
  [11, ["time", "time"]],
  [12, ["datetime", "datetime"]],
  [13, ["year", "integer"]],
  [16, ["bit", "integer"]],
  [245, ["json", "json"]],
  [246, ["decimal", "decimal"]],
  [255, ["geometry", "binary"]],
]);

const unsignedFlag = 32;
const enumFlags = 256 | 2048;
const binaryCharset = 63;

interface ProtocolField extends FieldPacket {
  readonly characterSet?: number;
}

function columnOf(field: ProtocolField): Column {
  const { name, columnType = field.type ?? -1, flags, characterSet, decimals } = field;
  const known = kinds.get(columnType);
  const has = (flag: number) => typeof flags === "number" && (flags & flag) !== 0;
  if (!known && has(enumFlags)) return { name, kind: "text", type: "enum" };
  if (!known) return { name, kind: characterSet === binaryCharset ? "binary" : "text", type: `type ${columnType}` };
  const [type, kind] = known;
  if (type === "float") return { name, kind, type, isSingle: true };
  if (kind === "decimal") return { name, kind, type: `decimal(65, ${decimals})` };
  const unsigned = has(unsignedFlag) && kind === "integer";
  return { name, kind, type: unsigned ? `${type} unsigned` : type };
}

/** Returns the driver's value. The driver is set to return only the types listed here; any other becomes JSON text. */
function cellOf(value: unknown): SqlCell {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof Uint8Array) return value;
  return JSON.stringify(value);
}
