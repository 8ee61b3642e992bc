import type { RecordState } from "#model";
import type { Dialect, Statement } from "../roles/access.ts";
import { stateList } from "../rows/state-list.ts";
import { storedText } from "./text.ts";

/** A value for a statement. Objects and lists are sent as JSON. */
export type SqlValue = string | number | boolean | null | undefined | object;

/** A statement with its values filled in. Several of them form one message and one transaction. */
export type SqlText = string;

/** Calls a step, which is a function of the schema. */
export function call(name: string, ...values: readonly SqlValue[]): SqlText {
  return `SELECT * FROM ${name}(${values.map(literal).join(", ")})`;
}

/** Replaces each `@name` with its value. */
export function fill(sql: string, values: Readonly<Record<string, SqlValue>> = {}): SqlText {
  return sql.replace(/@(\w+)/g, (_, name: string) => literal(values[name]));
}

export const filled = ({ sql, values }: Statement): SqlText => fill(sql, values);

function literal(value: SqlValue): SqlText {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "string") return quotedText(storedText(value));
  if (typeof value === "object") return quotedText(jsonText(value));
  // Quoted, so that it takes the column's type.
  return `'${Number(value)}'`;
}

/** Does the same as the driver's function, ten times as fast: that one looks at each character. */
function quotedText(text: string): string {
  const quoted = text.replaceAll("'", "''");
  return text.includes("\\") ? ` E'${quoted.replaceAll("\\", "\\\\")}'` : `'${quoted}'`;
}

/** Escapes texts that the database cannot hold. Few values have one; JSON shows it as an escape sequence. */
function jsonText(value: object): string {
  const text = JSON.stringify(value);
  if (!/\\u|\uD7FF/.test(text)) return text;
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? storedText(member) : member));
}

/**
 * Key length in the sort index, in characters: a B-tree entry has at most 2,704 bytes. Keys are sorted by this prefix, then by the whole
 * key.
 */
const KEY_HEAD = 400;

export const head = (key: string) => `left(${key}, ${KEY_HEAD})`;

/** The indexed hash by which keys are found; then the whole keys are compared. */
export const hash = (key: string) => `hashtextextended(${key}, 0)`;

export const isKey = (column: string, key: string) => `${hash(column)} = ${hash(key)} AND ${column} = ${key}`;

/**
 * The condition that a row belongs to this stream and key. The stream is compared in a way that no index supports: without statistics, the
 * server would use an index that begins with the stream and read all of its records.
 */
export const isRecord = (row: string, stream: string, key: string) =>
  `${isKey(`${row}.key`, key)} AND ${row}.stream || '' = ${stream}`;

/** The condition that a joined row is in one of these states; no index supports it, for the same reason. */
export const isIn = (row: string, states: readonly RecordState[]) => `${row}.state || '' IN (${stateList(states)})`;

/**
 * The code in an error column. The column is not parsed as JSON, because that fails on a NUL quoted in the message. Inside a JSON text no
 * quotation mark is unescaped. A regular expression would take ten times as long.
 */
export const errorCode = (error: string) => `split_part(split_part(${error}, '"code":"', 2), '"', 1)`;

/**
 * A column parsed as JSON. Replaces the escape sequences of texts that the server cannot hold, and the control character that marks them
 * (`text.ts`).
 */
const parsed = (column: string) =>
  String.raw`regexp_replace(${column}, '\\u(0000|d[89a-f]..)|\x02', '\\ufffd', 'g')::json`;
/** A notice without its cause. Its `affected` lists the records that it is about. */
const withoutCause = (notice: string) => `
  (SELECT json_object_agg(key, value) FROM json_each(${notice}) WHERE key <> 'cause')`;
const namesRecord = (notice: string) => `
  starts_with(${notice} ->> 'affected', @stream || ': ') AND strpos(${notice} ->> 'affected', @key) > 0`;

/** The list of calls of a statement, one row each. Its columns are named as the statement names its values: `@name`. */
export const CALLS = "calls";

export const postgresDialect: Dialect = {
  isRecord: `${isKey("key", "@key")} AND stream || '' = @stream`,
  isAfter: `${head("key")} >= ${head("@after")} AND key > @after`,
  keyOrder: `${head("key")}, key`,
  actsOfPeople: "audit",
  isKey,
  isOf: isRecord,
  each: (list) =>
    `(SELECT value, number - 1 AS at FROM jsonb_array_elements_text(${list}) WITH ORDINALITY AS l(value, number))`,
  rows: (values) => `SELECT ${values} FROM ${CALLS}`,
  from: `FROM ${CALLS}`,
  using: `USING ${CALLS}`,
  forgetNotices: `UPDATE notices SET notice = ${withoutCause(parsed("notice"))} WHERE ${namesRecord(parsed("notice"))}`,
  forgetNoticeEvents: `
    UPDATE notice_events SET event = (
      SELECT json_object_agg(e.key, CASE WHEN e.key = 'notice' THEN ${withoutCause("e.value")} ELSE e.value END)
      FROM json_each(${parsed("event")}) e)
    WHERE ${namesRecord(`${parsed("event")} -> 'notice'`)}`,
};
