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

/** A B-tree takes entries of 2,704 bytes at most: keys are sorted by their beginning, and then whole. */
const KEY_HEAD = 400;

export const head = (key: string) => `left(${key}, ${KEY_HEAD})`;

/** Keys are found by their hash, and then compared whole. */
export const hash = (key: string) => `hashtextextended(${key}, 0)`;

export const isKey = (column: string, key: string) => `${hash(column)} = ${hash(key)} AND ${column} = ${key}`;

/**
 * The condition that a row is the one of this stream and key. The stream is compared so that no index can be used for it: before
 * it has statistics, the server would take one that begins with the stream, and read all of its records.
 */
export const isRecord = (row: string, stream: string, key: string) =>
  `${isKey(`${row}.key`, key)} AND ${row}.stream || '' = ${stream}`;

export const dialect: Dialect = {
  isRecord: `${isKey("key", "@key")} AND stream || '' = @stream`,
  isAfter: `${head("key")} >= ${head("@after")} AND key > @after`,
  keyOrder: `${head("key")}, key`,
  actsOfPeople: "audit",
};
