/**
 * What a column holds, as far as it matters for reading it unharmed.
 * `instant` knows its zone, `datetime` is a wall-clock reading; `any` is a column of SQLite, which holds what it likes, and
 * `any-datetime` one that was declared for date-times.
 */
export type ColumnKind =
  | "integer"
  | "decimal"
  | "float"
  | "text"
  | "boolean"
  | "instant"
  | "datetime"
  | "date"
  | "time"
  | "json"
  | "binary"
  | "rowversion"
  | "any"
  | "any-datetime";

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The database's own word for the type, for messages and casts. */
  readonly type: string;
  /** True for CHAR(n): the blanks that fill its values up are no part of them. */
  readonly isPadded?: boolean;
}
