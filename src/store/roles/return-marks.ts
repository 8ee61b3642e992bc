import type { Json } from "#model";
import type { ReturnMark, ReturnStore } from "../contract/returns.ts";
import { parseText, type JsonText } from "../rows/json-text.ts";
import type { Access, Statement } from "./access.ts";

export type MarkMembers = Parameters<ReturnStore["saveMark"]>[1];

/** A mark has a row for each member, so that the lane and a person can change different ones at once. */
export async function readMark(access: Access, stream: string): Promise<ReturnMark | undefined> {
  const sql = "SELECT name, value FROM return_marks WHERE stream = @stream";
  const rows = await access.read<{ name: string; value: JsonText<Json> }>(sql, { stream });
  if (rows.length === 0) return undefined;
  const members = Object.fromEntries(rows.map(({ name, value }) => [name, parseText(value)]));
  return Object.assign({ beginAt: 0 }, members);
}

export function markStatements(access: Access, stream: string, members: MarkMembers): Statement[] {
  return Object.entries(members).map(([name, value]): Statement => {
    if (value === undefined)
      return { sql: "DELETE FROM return_marks WHERE stream = @stream AND name = @name", values: { stream, name } };
    const sql = `INSERT INTO return_marks (stream, name, value) VALUES (@stream, @name, @value)
      ON CONFLICT (stream, name) DO UPDATE SET value = excluded.value`;
    // The cursor is the reader's, and must come back as it was.
    const clean = name === "cursor" ? value : access.clean(value);
    return { sql, values: { stream, name, value: JSON.stringify(clean) } };
  });
}
