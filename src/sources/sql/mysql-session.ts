import { createConnection, type Connection, type FieldPacket, type RowDataPacket } from "mysql2/promise";
import type { Column, ColumnKind } from "./column.ts";
import type { Answer, Cell, Session } from "./engine.ts";
import type { SqlSettings } from "./settings.ts";
import { tlsOptions } from "./tls.ts";

/** Beyond the server's own time-out: only a connection that died silently reaches it. */
const graceMs = 10_000;

export async function connectMysql(settings: SqlSettings): Promise<Session> {
  const url = new URL(settings.url);
  const ssl = tlsOptions(settings.tls);
  const connection = await createConnection({
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
  });
  // The next query tells; without a listener a lost connection would end the process.
  connection.on("error", () => undefined);
  const session = new MysqlSession(connection, settings.statementTimeout + graceMs);
  await session.prepare(settings.statementTimeout);
  return session;
}

class MysqlSession implements Session {
  readonly #connection: Connection;
  readonly #timeoutMs: number;

  constructor(connection: Connection, timeoutMs: number) {
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
  }

  /** Sets the session so that it cannot write, says everything in one way, and gives up in time. */
  async prepare(timeoutMs: number): Promise<void> {
    const { rows } = await this.query("select version()", []);
    const mariadb = String(rows[0]![0]).includes("MariaDB");
    const timeout = mariadb ? `max_statement_time = ${timeoutMs / 1000}` : `max_execution_time = ${timeoutMs}`;
    await this.#connection.query("set session transaction isolation level read committed, read only");
    await this.#connection.query(`set session time_zone = '+00:00', sql_mode = 'STRICT_TRANS_TABLES', ${timeout}`);
  }

  async query(text: string, values: readonly unknown[]): Promise<Answer> {
    // The engine binds text and nothing else.
    const bound = values.map((value) => (typeof value === "string" ? value : null));
    const [rows, fields] = await this.#connection.execute<RowDataPacket[][]>(
      { sql: text, timeout: this.#timeoutMs },
      bound,
    );
    return { columns: fields.map(columnOf), rows: rows.map((row) => row.map(cellOf)) };
  }

  async end(): Promise<void> {
    await this.#connection.end();
  }

  destroy(): void {
    this.#connection.destroy();
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
const binaryCharset = 63;

interface ProtocolField extends FieldPacket {
  readonly characterSet?: number;
}

function columnOf(field: ProtocolField): Column {
  const { name, columnType = field.type ?? -1, flags, characterSet } = field;
  const known = kinds.get(columnType);
  if (!known) return { name, kind: characterSet === binaryCharset ? "binary" : "text", type: `type ${columnType}` };
  const [type, kind] = known;
  const unsigned = typeof flags === "number" && (flags & unsignedFlag) !== 0 && kind === "integer";
  return { name, kind, type: unsigned ? `${type} unsigned` : type };
}

/** The driver was told to give nothing else; anything else would be harm. */
function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value;
  if (value instanceof Uint8Array) return value;
  return JSON.stringify(value);
}
