import { escapeLiteral } from "pg";
import type { Dialect, Statement } from "../roles/access.ts";
import { storedText } from "./text.ts";

/** What a statement may be given. Objects and lists travel as JSON. */
export type SqlValue = string | number | boolean | null | undefined | object;

/** A statement with its values in it, ready to be sent. Several of them make one message and one transaction. */
export type SqlText = string;

/** The call of a step, which is a function of the schema. */
export function call(name: string, ...values: readonly SqlValue[]): SqlText {
  return `SELECT * FROM ${name}(${values.map(literal).join(", ")})`;
}

/** Puts the values in place of each `@name`. */
export function fill(sql: string, values: Readonly<Record<string, SqlValue>> = {}): SqlText {
  return sql.replace(/@(\w+)/g, (_, name: string) => literal(values[name]));
}

export const filled = ({ sql, values }: Statement): SqlText => fill(sql, values);

function literal(value: SqlValue): SqlText {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "string") return escapeLiteral(storedText(value));
  if (typeof value === "object") return escapeLiteral(JSON.stringify(value, (_, member: unknown) => stored(member)));
  // Quoted, so that it takes the type of the column that it meets.
  return `'${Number(value)}'`;
}

function stored(member: unknown): unknown {
  return typeof member === "string" ? storedText(member) : member;
}

/** A B-tree takes entries of 2,704 bytes at most: keys are indexed by their beginning, and compared whole. */
const KEY_HEAD = 400;

export const head = (text: string) => `left(${text}, ${KEY_HEAD})`;

/** The condition that a row is the one of this stream and key. */
export const isRecord = (row: string, stream: string, key: string) =>
  `${row}.stream = ${stream} AND ${head(`${row}.key`)} = ${head(key)} AND ${row}.key = ${key}`;

export const dialect: Dialect = {
  isRecord: `stream = @stream AND ${head("key")} = ${head("@key")} AND key = @key`,
  isAfter: `${head("key")} >= ${head("@after")} AND key > @after`,
  keyOrder: `${head("key")}, key`,
  actsOfPeople: "audit",
};
