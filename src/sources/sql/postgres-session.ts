import { Client, type FieldDef } from "pg";
import type { Column, ColumnKind } from "./column.ts";
import type { Answer, Session } from "./engine.ts";
import type { SqlSettings } from "./settings.ts";
import { tlsOptions } from "./tls.ts";

/** Beyond the server's own time-out: only a connection that died silently reaches it. */
const graceMs = 10_000;

/** Values stay the text that the server sent. */
const asText = { getTypeParser: () => (text: string) => text };

/** What every session is set to, so that it cannot write and says everything in one way. */
const preparation = (timeoutMs: number) => `
  set session characteristics as transaction read only;
  set statement_timeout = ${timeoutMs};
  set idle_in_transaction_session_timeout = ${timeoutMs};
  set timezone = 'UTC';
  set datestyle = 'ISO, YMD';
  set intervalstyle = 'iso_8601';
  set extra_float_digits = 1`;

export async function connectPostgres(settings: SqlSettings): Promise<Session> {
  const client = new Client({
    connectionString: settings.url,
    ssl: tlsOptions(settings.tls) ?? false,
    connectionTimeoutMillis: settings.connectTimeout,
    query_timeout: settings.statementTimeout + graceMs,
    keepAlive: true,
    application_name: "svcsync",
  });
  // The next query tells; without a listener a lost connection would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query(preparation(settings.statementTimeout));
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
  return new PostgresSession(client);
}

class PostgresSession implements Session {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async query(text: string, values: readonly unknown[]): Promise<Answer> {
    const result = await this.#client.query<(string | null)[]>({
      text,
      values: [...values],
      rowMode: "array",
      types: asText,
    });
    return { columns: result.fields.map(columnOf), rows: result.rows };
  }

  async end(): Promise<void> {
    await this.#client.end();
  }

  /** With a query on its way this cuts the connection at once. */
  destroy(): void {
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
