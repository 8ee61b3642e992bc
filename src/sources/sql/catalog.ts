import type { Catalog, OutlineKind } from "../source.ts";
import type { Column } from "./read/column.ts";
import type { Database } from "./database.ts";
import { columnsOf } from "./read/layout.ts";
import { tableName } from "./compile.ts";
import { shortName } from "./engines/seen-tables.ts";

/** The tables and views of a database, as its own catalogue describes them. */
export function catalogOf(database: Database): Catalog {
  return {
    async tables(signal) {
      const names = (await database.tables(signal)).map(shortName);
      return names.toSorted((a, b) => a.localeCompare(b));
    },
    async table(name, signal) {
      const columns = await columnsOf(database, tableName(name), name, signal);
      const { rows } = await database.ask(database.engine.primaryKey(name), signal);
      const key = rows.map(([column]) => String(column));
      return { columns: columns.map((column) => ({ name: column.name, kind: outlineKind(column) })), key };
    },
  };
}

function outlineKind({ kind, type }: Column): OutlineKind {
  switch (kind) {
    case "integer":
    case "decimal":
    case "float":
      return "number";
    case "instant":
    case "datetime":
    case "date":
    case "any-datetime":
      return "stamp";
    case "rowversion":
      return "version";
    case "any":
      return declaredKind(type);
    case "text":
    case "binary":
      return kind;
    case "boolean":
    case "time":
    case "json":
      return "other";
  }
}

/** SQLite's columns hold what they like; what they were declared for is the best that is known. */
function declaredKind(type: string): OutlineKind {
  if (/int|num|dec|real|floa|doub/i.test(type)) return "number";
  return /date/i.test(type) ? "stamp" : "text";
}
