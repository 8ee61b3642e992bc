import { Client, Query, type FieldDef, type QueryArrayResult } from "pg";
import { expectOwnAnswer } from "#model";
import type { Column, ColumnKind, QueryResult, WritingSession } from "../engines/engine.ts";
import { lockWaitMs } from "../engines/lock-wait.ts";
import { RowBudget } from "../engines/row-budget.ts";
import { tlsOptions } from "../engines/tls.ts";
import type { SqlSettings } from "../settings.ts";

/** Added to the server's own time-out. Only a connection that died silently reaches it. */
const graceMs = 10_000;

/**
 * How often the server checks that the client of a running query is still connected (PostgreSQL 14 and later). If not, it ends the
 * query.
 */
const goneCheckMs = 2_000;

/** Keeps values as the text that the server sent. */
const asText = { getTypeParser: () => (text: string) => text };

/** What a session may do: a reading one cannot write, and that of an inbox waits only briefly for a lock. */
const purposes = {
  read: "set session characteristics as transaction read only",
  inbox: `set lock_timeout = ${lockWaitMs}`,
};

/** The settings of every session. Everything is returned in one form. */
const preparation = (timeoutMs: number, purpose: keyof typeof purposes) => `
  ${purposes[purpose]};
  set statement_timeout = ${timeoutMs};
  set idle_in_transaction_session_timeout = ${timeoutMs};
  set timezone = 'UTC';
  set datestyle = 'ISO, YMD';
  set intervalstyle = 'iso_8601';
  set extra_float_digits = 1;
  select set_config(name, '${goneCheckMs}', false) from pg_settings where name = 'client_connection_check_interval'`;

export async function connectPostgres(
  settings: SqlSettings,
  purpose: keyof typeof purposes = "read",
): Promise<WritingSession> {
  const client = new Client({
    connectionString: settings.url,
    ssl: tlsOptions(settings.tls) ?? false,
    connectionTimeoutMillis: settings.connectTimeout,
    query_timeout: settings.statementTimeout + graceMs,
    keepAlive: true,
    application_name: "svcsync",
  });
  // The next query reports it. Without a listener a lost connection would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await expectOwnAnswer(async (text) => (await client.query("select $1 as echo", [text])).rows[0]?.echo);
    await client.query(preparation(settings.statementTimeout, purpose));
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
  return new PostgresSession(client);
}

class PostgresSession implements WritingSession {
  readonly #client: Client;
  #isSpent = false;

  constructor(client: Client) {
    this.#client = client;
  }

  get isSpent(): boolean {
    return this.#isSpent;
  }

  async query(text: string, values: readonly unknown[], _signal: AbortSignal, maxBytes?: number): Promise<QueryResult> {
    return await new Promise((resolve, reject) => {
      const budget = new RowBudget(maxBytes);
      const answer = (fields: readonly FieldDef[], isCut: boolean) =>
        resolve({ columns: fields.map(columnOf), rows: budget.rows, isCut });
      const callback = (error: Error | null, result: QueryArrayResult) => {
        if (error) reject(error);
        else answer(result.fields, false);
      };
      const query = new Query<(string | null)[]>(
        // The driver keeps the rows, too. Both hold the same texts.
        Object.assign({ text, values: [...values], rowMode: "array", types: asText }, { callback }),
      );
      query.on("row", (row, result) => {
        if (this.#isSpent || budget.take(row)) return;
        // The protocol cannot stop in the middle of an answer.
        this.destroy();
        answer(result?.fields ?? [], true);
      });
      this.#client.query(query);
    });
  }

  async command(text: string): Promise<void> {
    await this.#client.query(text);
  }

  async end(): Promise<void> {
    await this.#client.end();
  }

  /** Cuts the connection at once if a query is in flight. */
  destroy(): void {
    this.#isSpent = true;
    void this.#client.end().catch(() => undefined);
  }
}

/** CHAR(n), which the catalogue calls bpchar. */
const paddedType = 1042;

/** The built-in types that need care, by their fixed numbers in the server's catalogue (pg_type.dat). */
const types = new Map<number, readonly [type: string, kind: ColumnKind]>([
  [16, ["bool", "boolean"]],
  [17, ["bytea", "binary"]],
  [20, ["int8", "integer"]],
  [21, ["int2", "integer"]],
  [23, ["int4", "integer"]],
  [26, ["oid", "integer"]],
  [114, ["json", "json"]],
  [700, ["float4", "float"]],
  [701, ["float8", "float"]],
  [1082, ["date", "date"]],
  [1083, ["time", "time"]],
  [1114, ["timestamp", "datetime"]],
  [1184, ["timestamptz", "instant"]],
  [1700, ["numeric", "decimal"]],
  [2950, ["uuid", "text"]],
  [3802, ["jsonb", "json"]],
]);

function columnOf({ name, dataTypeID }: FieldDef): Column {
  const [type, kind] = types.get(dataTypeID) ?? [`type ${dataTypeID}`, "text"];
  return { name, kind, type, isPadded: dataTypeID === paddedType };
}
