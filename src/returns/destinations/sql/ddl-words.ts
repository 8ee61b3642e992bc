import type { SqlDialect } from "#sources";
import type { OwnColumn } from "./inbox-columns.ts";

/** How long a text of the sync file's columns may be, unless the DBA says otherwise. */
const NAMED_LENGTH = 500;

/** In what databases differ when the inbox is made. */
export interface DdlWords {
  readonly title: string;
  /** A text of so many characters, or of any length. `isKey`: compared by its bytes, because the ERP's keys may differ in case only. */
  text(length: number | undefined, isKey: boolean): string;
  readonly long: string;
  readonly short: string;
  readonly amount: string;
  readonly moment: string;
  readonly now: string;
  /** Ends a statement that must be alone. */
  readonly end: string;
  schema(name: string): string;
  grants(tables: {
    readonly adds: readonly string[];
    readonly reads: readonly string[];
    readonly schemas: readonly string[];
  }): string[];
  /** The first row of an answer in the sample of the ERP's job. */
  first(select: string): string;
}

const usual = {
  long: "bigint",
  short: "int",
  amount: "decimal(18, 4)",
  end: ";",
  first: (select: string) => `${select} limit 1`,
};

export const ddlWords: Readonly<Record<SqlDialect, DdlWords>> = {
  postgres: {
    ...usual,
    title: "PostgreSQL",
    text: (length) => (length === undefined ? "text" : `varchar(${length})`),
    moment: "timestamptz",
    now: "current_timestamp",
    schema: (name) => `create schema if not exists ${name};`,
    grants: ({ adds, reads, schemas }) => [
      ...schemas.map((schema) => `grant usage on schema ${schema} to svcsync;`),
      ...adds.map((table) => `grant insert, select on ${table} to svcsync;`),
      ...reads.map((table) => `grant select on ${table} to svcsync;`),
    ],
  },
  mysql: {
    ...usual,
    title: "MariaDB and MySQL",
    text: (length, isKey) =>
      `${length === undefined ? "longtext" : `varchar(${length})`} character set utf8mb4${isKey ? " collate utf8mb4_bin" : ""}`,
    moment: "timestamp(3)",
    now: "current_timestamp(3)",
    schema: (name) => `create database if not exists ${name};`,
    grants: ({ adds, reads }) => [
      ...adds.map((table) => `grant insert, select on ${table} to 'svcsync'@'%';`),
      ...reads.map((table) => `grant select on ${table} to 'svcsync'@'%';`),
    ],
  },
  mssql: {
    ...usual,
    title: "SQL Server",
    text: (length, isKey) => `nvarchar(${length ?? "max"})${isKey ? " collate Latin1_General_100_BIN2" : ""}`,
    moment: "datetimeoffset(3)",
    now: "sysdatetimeoffset()",
    end: ";\ngo",
    schema: (name) => `if schema_id(N'${name.slice(1, -1)}') is null exec(N'create schema ${name}');\ngo`,
    grants: ({ adds, reads }) => [
      ...adds.map(
        (table) => `grant insert, select on ${table} to svcsync; deny update, delete on ${table} to svcsync;`,
      ),
      ...reads.map(
        (table) => `grant select on ${table} to svcsync; deny insert, update, delete on ${table} to svcsync;`,
      ),
    ],
    first: (select) => select.replace("select", "select top 1"),
  },
  sqlite: {
    ...usual,
    title: "SQLite",
    text: () => "text",
    long: "integer",
    short: "integer",
    // A decimal would be a floating-point number here. As text it stays exact, and sum() takes it.
    amount: "text",
    moment: "text",
    now: "(strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
    schema: (name) => `-- SQLite has no schemas: write the tables without ${name} in the sync file.`,
    grants: () => [
      "-- SQLite has no rights: who may write the file may do everything with it. Give the ERP a file of its own for the inbox.",
    ],
  },
};

const KEYS: readonly string[] = ["return_id", "stream", "record_key", "replaces"];
const SHORT: readonly string[] = ["version", "line_count", "line_no"];

export function ownType(words: DdlWords, { name, kind, length }: OwnColumn): string {
  switch (kind) {
    case "text":
      return words.text(length, KEYS.includes(name));
    case "integer":
      return SHORT.includes(name) ? words.short : words.long;
    case "amount":
      return words.amount;
    case "moment":
      return words.moment;
  }
}

export function namedType(words: DdlWords): string {
  return words.text(NAMED_LENGTH, false);
}
