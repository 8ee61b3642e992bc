import { Connection, Request, TYPES, type ConnectionConfiguration } from "tedious";
import { codeOf } from "#model";
import type { SqlCell, Column, QueryResult, WritingSession } from "../engines/engine.ts";
import { RowBudget } from "../engines/row-budget.ts";
import { tlsOptions } from "../engines/tls.ts";
import type { SqlSettings } from "../settings.ts";
import { mssqlColumn } from "./mssql-types.ts";

/** Returns the driver's options. Unlike elsewhere, the connection is encrypted unless `tls` says otherwise, as SQL Server asks. */
export function mssqlOptions(settings: SqlSettings): ConnectionConfiguration {
  const url = new URL(settings.url);
  const instance = url.searchParams.get("instance");
  const domain = url.searchParams.get("domain");
  const userName = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const mode = settings.tls?.mode ?? "verify";
  const { rejectUnauthorized: _, servername, ...files } = tlsOptions(settings.tls) ?? {};
  return {
    server: url.hostname,
    authentication:
      domain === null
        ? { type: "default", options: { userName, password } }
        : { type: "ntlm", options: { userName, password, domain } },
    options: {
      ...(instance === null ? { port: url.port === "" ? 1433 : Number(url.port) } : { instanceName: instance }),
      database: decodeURIComponent(url.pathname.slice(1)),
      appName: "svcsync",
      encrypt: mode !== "off",
      trustServerCertificate: mode === "trust",
      connectTimeout: settings.connectTimeout,
      requestTimeout: settings.statementTimeout,
      ...(servername === undefined ? {} : { serverName: servername }),
      ...(Object.keys(files).length === 0 ? {} : { cryptoCredentialsDetails: files }),
    },
  };
}

/** Connects, and runs `first` if it is given: SQL Server has no read-only session, so a reading one needs no preparation. */
export async function connectMssql(settings: SqlSettings, first?: string): Promise<WritingSession> {
  const connection = new Connection(mssqlOptions(settings));
  // The next query reports it. Without a listener a lost connection would end the process.
  connection.on("error", () => undefined);
  const messages: LoginMessage[] = [];
  // The first one is the reason. Later ones, of statements that fail, would pile up as long as the connection lives.
  connection.once("errorMessage", ({ number, message }) => void messages.push({ number, message }));
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(loginFailure(error, messages)) : resolve()));
  });
  const session = new MssqlSession(connection);
  if (first === undefined) return session;
  try {
    await session.command(first);
  } catch (error) {
    session.destroy();
    throw error;
  }
  return session;
}

/** What the server says on the way to a login. */
export interface LoginMessage {
  readonly number: number;
  readonly message: string;
}

/**
 * Returns the error of a login with the server's reason. The driver keeps the last message alone and no number, and the last one is always that the
 * login failed, whatever the first one was.
 */
export function loginFailure(error: Error, [reason]: readonly LoginMessage[]): Error {
  if (reason === undefined) return error;
  return Object.assign(new Error(reason.message, { cause: error }), { code: codeOf(error), number: reason.number });
}

class MssqlSession implements WritingSession {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** True once the server has ended the connection. */
  get isSpent(): boolean {
    return this.#connection.closed;
  }

  async query(text: string, values: readonly unknown[], _signal: AbortSignal, maxBytes?: number): Promise<QueryResult> {
    return await new Promise((resolve, reject) => {
      let columns: Column[] = [];
      const budget = new RowBudget(maxBytes);
      let isCut = false;
      const request = new Request(text, (error) =>
        error && !isCut ? reject(this.#failure(error)) : resolve({ columns, rows: budget.rows, isCut }),
      );
      for (const [at, value] of values.entries()) request.addParameter(String(at + 1), TYPES.NVarChar, value);
      request.on("columnMetadata", (described) => {
        columns = Object.values(described).map(mssqlColumn);
      });
      request.on("row", (row: { value: SqlCell }[]) => {
        if (isCut || budget.take(row.map(({ value }) => value))) return;
        isCut = true;
        this.#connection.cancel();
      });
      this.#connection.execSql(request);
    });
  }

  /** As a batch: a transaction cannot begin inside a statement with values. */
  async command(text: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#connection.execSqlBatch(new Request(text, (error) => (error ? reject(this.#failure(error)) : resolve())));
    });
  }

  /** An answer that ends in the middle is an error without number and code. It is the end of the connection, whatever ended it. */
  #failure(error: Error): Error {
    if (!this.#connection.closed || codeOf(error) !== undefined) return error;
    return Object.assign(new Error(error.message, { cause: error }), { code: "ECLOSE" });
  }

  async end(): Promise<void> {
    this.#connection.close();
  }

  destroy(): void {
    this.#connection.cancel();
    this.#connection.close();
  }
}
