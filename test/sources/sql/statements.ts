import type { DialectName } from "./shapes.ts";

/** Begins a transaction of the ERP. */
export function beginOf(dialect: DialectName): string {
  return { sqlite: "begin immediate", postgres: "begin", mysql: "begin", mssql: "begin transaction" }[dialect];
}

export function addColumn(dialect: DialectName, table: string, column: string): string {
  return `alter table ${table} add ${dialect === "mssql" ? "" : "column "}${column}`;
}

export function renameColumn(dialect: DialectName, table: string, from: string, to: string): string {
  return dialect === "mssql"
    ? `exec sp_rename '${table}.${from}', '${to}', 'COLUMN'`
    : `alter table ${table} rename column ${from} to ${to}`;
}

/** A text with letters of any language. */
export function textLiteral(dialect: DialectName, text: string): string {
  return `${dialect === "mssql" ? "N" : ""}'${text.replaceAll("'", "''")}'`;
}
