import type { Database, Statement as Prepared } from "better-sqlite3";
import type { Access, Dialect, Statement } from "../roles/access.ts";
import { PART } from "./tables/stream-parts.ts";

/** A notice lists the records that it is about in its `affected`. */
const namesRecord = (affected: string) => `instr(${affected}, @stream || ': ') = 1 AND instr(${affected}, @key) > 0`;

export const sqliteDialect: Dialect = {
  isRecord: "stream = @stream AND key = @key",
  isAfter: "key > @after",
  keyOrder: "key",
  actsOfPeople: "audit INDEXED BY audit_acts",
  isKey: (column, key) => `${column} = ${key}`,
  isOf: (row, stream, key) => `${row}.stream = ${stream} AND ${row}.key = ${key}`,
  each: (list) => `(SELECT key AS at, value FROM json_each(${list}))`,
  rows: (values) => `VALUES (${values})`,
  from: "",
  using: "",
  forgetNotices: `
    UPDATE notices SET notice = json_remove(notice, '$.cause') WHERE ${namesRecord("notice ->> '$.affected'")}`,
  forgetNoticeEvents: `
    UPDATE notice_events SET event = json_remove(event, '$.notice.cause') WHERE ${namesRecord("event ->> '$.notice.affected'")}`,
};

/** More texts than the roles have. */
const MOST_PREPARED = 1_000;

/**
 * Returns what runs a statement and returns its rows. Statements are prepared once. Without the plus, SQLite would look at the values for its
 * plan, and plan a statement of several tables again each time.
 */
export function statementRunner(db: Database): <Row>(statement: Statement) => Row[] {
  const known = new Map<string, Prepared<[object]>>();
  return <Row>({ sql, values = {} }: Statement) => {
    const prepared = known.get(sql) ?? db.prepare<[object]>(sql.replace(/@\w+/g, "+$&"));
    if (known.size >= MOST_PREPARED) known.clear();
    known.set(sql, prepared);
    if (!prepared.reader) {
      prepared.run(values);
      return [];
    }
    const rows: Row[] = Object.assign(prepared.all(values));
    return rows;
  };
}

/** Reads in parts: see {@link Access.readOver}. Yields so that other work can run. */
export function* readingOver<Row>(
  run: ReturnType<typeof statementRunner>,
  ...[{ of, column, after }, sql, values]: Parameters<Access["readOver"]>
): Generator<undefined, Row[]> {
  const end = `SELECT ${column} AS at FROM ${of} AND ${column} > @from ORDER BY ${column} LIMIT 1 OFFSET ${PART}`;
  const found: Row[] = [];
  for (let from: number | undefined = after; from !== undefined;) {
    const next: number | undefined = run<{ at: number }>({ sql: end, values: { ...values, from } })[0]?.at;
    found.push(...run<Row>({ sql, values: { ...values, from, to: next ?? Number.MAX_SAFE_INTEGER } }));
    yield;
    from = next;
  }
  return found;
}
