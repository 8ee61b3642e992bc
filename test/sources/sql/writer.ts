import Sqlite from "better-sqlite3";
import { createConnection, type RowDataPacket } from "mysql2/promise";
import { Client } from "pg";
import { mssqlWriter } from "./mssql/writer.ts";

/** The hand of the ERP: one connection that may write. */
export interface Writer extends AsyncDisposable {
  run(text: string): Promise<void>;
  /** The first value of the first row, as text. */
  one(text: string): Promise<string>;
}

export async function openWriter(url: string): Promise<Writer> {
  if (url.startsWith("sqlite:")) return sqliteWriter(url.slice("sqlite:".length));
  if (url.startsWith("mssql:")) return await mssqlWriter(url);
  return url.startsWith("postgres") ? await postgresWriter(url) : await mysqlWriter(url);
}

function sqliteWriter(path: string): Writer {
  const database = new Sqlite(path, { timeout: 5_000 });
  database.pragma("journal_mode = wal");
  database.pragma("synchronous = off");
  return {
    run: async (text) => void database.exec(text),
    one: async (text) => String(database.prepare(text).pluck().get()),
    [Symbol.asyncDispose]: async () => void database.close(),
  };
}

async function postgresWriter(url: string): Promise<Writer> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  return {
    run: async (text) => void (await client.query(text)),
    one: async (text) => String((await client.query<unknown[]>({ text, rowMode: "array" })).rows[0]?.[0]),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

async function mysqlWriter(url: string): Promise<Writer> {
  const connection = await createConnection({ uri: url.replace(/^mariadb:/, "mysql:"), multipleStatements: true });
  connection.on("error", () => undefined);
  await connection.query("set time_zone = '+00:00'");
  return {
    run: async (text) => void (await connection.query(text)),
    async one(text) {
      const [rows] = await connection.query<RowDataPacket[][]>({ sql: text, rowsAsArray: true });
      return rows.flat().map(String)[0] ?? "";
    },
    [Symbol.asyncDispose]: () => connection.end(),
  };
}
