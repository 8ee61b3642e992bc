import type { Database } from "better-sqlite3";
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

/** Runs a statement and returns its rows. */
export function runStatement<Row>(db: Database, { sql, values = {} }: Statement): Row[] {
  const prepared = db.prepare<[object], Row>(sql);
  if (prepared.reader) return prepared.all(values);
  prepared.run(values);
  return [];
}

/** Reads in parts: see {@link Access.readOver}. Yields so that other work can run. */
export function* readingOver<Row>(
  db: Database,
  ...[{ of, column, after }, sql, values]: Parameters<Access["readOver"]>
): Generator<undefined, Row[]> {
  const end = db
    .prepare<[object], number>(
      `SELECT ${column} FROM ${of} AND ${column} > @from ORDER BY ${column} LIMIT 1 OFFSET ${PART}`,
    )
    .pluck();
  const found: Row[] = [];
  for (let from: number | undefined = after; from !== undefined;) {
    const next: number | undefined = end.get({ ...values, from });
    found.push(...runStatement<Row>(db, { sql, values: { ...values, from, to: next ?? Number.MAX_SAFE_INTEGER } }));
    yield;
    from = next;
  }
  return found;
}
