import type { Catalog, OutlineKind } from "../source.ts";
import type { SourceDatabase } from "./database.ts";
import type { Column, ColumnKind } from "./engines/engine.ts";
import { shortName } from "./engines/seen-tables.ts";
import { tableColumns } from "./read/layout.ts";
import { tableName } from "./sql-text.ts";

/** The tables and views of a database, as its own catalogue describes them. */
export function catalogOf(database: SourceDatabase): Catalog {
  return {
    async tables(signal) {
      const names = (await database.tables(signal)).map(shortName);
      return names.toSorted((a, b) => a.localeCompare(b));
    },
    async table(name, signal) {
      const columns = await tableColumns(database, tableName(name), name, signal);
      const { rows } = await database.ask(database.engine.primaryKey(name), signal);
      const key = rows.map(([column]) => String(column));
      return { columns: columns.map((column) => ({ name: column.name, kind: outlineKind(column) })), key };
    },
  };
}

const kinds: Readonly<Record<Exclude<ColumnKind, "any">, OutlineKind>> = {
  integer: "number",
  decimal: "number",
  float: "number",
  instant: "stamp",
  datetime: "stamp",
  date: "stamp",
  "any-datetime": "stamp",
  rowversion: "version",
  text: "text",
  binary: "binary",
  boolean: "other",
  time: "other",
  json: "other",
};

function outlineKind({ kind, type }: Column): OutlineKind {
  return kind === "any" ? declaredKind(type) : kinds[kind];
}

/** SQLite's columns hold any value. The declared type is the best hint. */
function declaredKind(type: string): OutlineKind {
  if (/int|num|dec|real|floa|doub/i.test(type)) return "number";
  return /date/i.test(type) ? "stamp" : "text";
}
