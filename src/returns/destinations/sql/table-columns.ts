import { ParkError, meantHint } from "#model";
import type { InboxTable } from "#sources";
import {
  answerColumns,
  headColumns,
  lineColumns,
  namedLineColumns,
  type InboxStream,
  type OwnColumn,
} from "./inbox-columns.ts";

/** The tables as the database describes them now. */
export interface InboxTablesNow {
  readonly head: InboxTable;
  readonly lines: InboxTable | undefined;
  readonly answers: InboxTable | undefined;
}

/** The tables that the sync file names for a stream. */
export function tableNames({ name, to, answers }: InboxStream) {
  if (to.table === undefined) throw new ParkError("E_RETURN_INBOX", `stream ${name} names no table under "to"`);
  return { head: to.table, lines: to.lines, answers: answers?.table };
}

/** What the tables lack, one sentence each. */
export function missingColumns(stream: InboxStream, { head, lines, answers }: InboxTablesNow): string[] {
  return [
    ...lacking(head, headColumns(stream), stream.columns),
    ...(lines === undefined ? [] : lacking(lines, lineColumns, namedLineColumns(stream))),
    ...(answers === undefined ? [] : lacking(answers, answerColumns, [])),
  ];
}

function lacking({ name, columns }: InboxTable, own: readonly OwnColumn[], named: readonly string[]): string[] {
  const known = columns.map((column) => column.name);
  return [...own.map((column) => column.name), ...named].flatMap((wanted) => {
    if (known.includes(wanted)) return [];
    return [`${name} has no column ${wanted}; ${meantHint(wanted, known)}`];
  });
}
