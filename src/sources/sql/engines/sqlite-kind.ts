import type { ColumnKind } from "./engine.ts";

/**
 * Declared types are only a hint in SQLite. They matter for two things: blobs are refused, and date-times are distinguished from
 * text.
 */
export function sqliteKind(declared: string | null): ColumnKind {
  const type = (declared ?? "").toUpperCase();
  if (type.includes("BLOB") || type.includes("BINARY")) return "binary";
  if (type.includes("DATETIME") || type.includes("TIMESTAMP")) return "any-datetime";
  return "any";
}
