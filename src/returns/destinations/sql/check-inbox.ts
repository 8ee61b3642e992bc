import { randomUUID } from "node:crypto";
import { counted, errorFacts, errorText, SyncError, type Finding, type ReturnValue } from "#model";
import type { InboxColumn, InboxRows, InboxTable, TableInbox } from "#sources";
import {
  answerColumns,
  headColumns,
  lineColumns,
  namedLineColumns,
  subjectColumn,
  type InboxStream,
  type OwnColumn,
} from "./inbox-columns.ts";
import { missingColumns, tableNames, type InboxTablesNow } from "./table-columns.ts";

/** The largest difference between the database's clock and ours that needs no warning. */
const CLOCK_MS = 2_000;
/** How many digits behind the point an amount may have. */
const AMOUNT_DIGITS = 4;

/** Checks the tables of an inbox as far as that leaves nothing behind: rows are only tried out, in transactions that are rolled back. */
export async function checkInbox(
  inbox: TableInbox,
  stream: InboxStream,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const subject = `returns ${stream.name}`;
  const problem = (message: string, remedy: string): Finding => ({
    subject,
    verdict: "problem",
    code: "E_RETURN_INBOX",
    message,
    remedy,
  });
  const warning = (message: string, remedy: string): Finding => ({ subject, verdict: "warning", message, remedy });
  const ddl = `"svcsync returns ddl --dialect ${inbox.dialect}" prints the statements that make it.`;
  const tables = await described(inbox, stream, signal);
  if ("error" in tables) return [problem(errorText(errorFacts(tables.error)), ddl)];
  const missing = [...missingColumns(stream, tables), ...unfit(stream, tables)];
  if (missing.length > 0) return missing.map((message) => problem(message, ddl));
  const written = [tables.head, ...(tables.lines === undefined ? [] : [tables.lines])];
  const lasting = written.filter(({ isTransactional }) => !isTransactional).map(({ name }) => name);
  if (lasting.length > 0)
    return [
      problem(
        `${lasting.join(" and ")} cannot take back what was added: half a report could stay there`,
        "Use InnoDB.",
      ),
    ];
  const findings: Finding[] = [];
  for (const [message, isRefused] of await tried(inbox, stream, tables, signal)) {
    if (isRefused) return [problem(message, "Grant INSERT and SELECT to svcsync's user.")];
    findings.push(problem(message, ddl));
  }
  for (const table of written) {
    const rights = (await inbox.rights(table, signal)) ?? [];
    if (rights.length > 0)
      findings.push(
        warning(
          `svcsync's user may ${rights.join(" and ")} rows of ${table.name}, which svcsync never does`,
          `Revoke ${rights.map((right) => right.toUpperCase()).join(" and ")}: what was handed over is then safe from mistakes.`,
        ),
      );
  }
  const offsetMs = await inbox.clockOffset(signal);
  if (Math.abs(offsetMs) > CLOCK_MS)
    findings.push(
      warning(
        `the clock of the inbox is ${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs > 0 ? "ahead of" : "behind"} this machine's`,
        "The times in written_at and answered_at differ by that. Let both machines follow a time server.",
      ),
    );
  if (findings.some(({ verdict }) => verdict === "problem")) return findings;
  const answers = tables.answers === undefined ? "" : `; answers are read from ${tables.answers.name}`;
  const message = `rows can be added to ${written.map(({ name }) => name).join(" and ")}, each return once${answers}`;
  return [{ subject, verdict: "ok", message }, ...findings];
}

async function described(
  inbox: TableInbox,
  stream: InboxStream,
  signal: AbortSignal,
): Promise<InboxTablesNow | { readonly error: unknown }> {
  try {
    const { head, lines, answers } = tableNames(stream);
    const tables = {
      head: await inbox.describe(head, signal),
      lines: lines === undefined ? undefined : await inbox.describe(lines, signal),
      answers: answers === undefined ? undefined : await inbox.describe(answers, signal),
    };
    // Whether the answers can be read shows only when they are.
    if (tables.answers !== undefined)
      await inbox.rows(tables.answers, ["return_id"], { return_id: "svcsync check" }, signal);
    return tables;
  } catch (error) {
    signal.throwIfAborted();
    return { error };
  }
}

/** Columns that cannot hold what svcsync writes, and others that must be filled, one sentence each. */
function unfit(stream: InboxStream, { head, lines, answers }: InboxTablesNow): string[] {
  return [
    ...unfitColumns(head, headColumns(stream)),
    ...unfilled(head, headColumns(stream), stream.columns),
    ...(lines === undefined ? [] : unfitColumns(lines, lineColumns)),
    ...(lines === undefined ? [] : unfilled(lines, lineColumns, namedLineColumns(stream))),
    ...(answers === undefined ? [] : unfitColumns(answers, answerColumns)),
  ];
}

function unfitColumns({ name, columns }: InboxTable, own: readonly OwnColumn[]): string[] {
  return own.flatMap((wanted) => {
    const column = columns.find((one) => one.name === wanted.name);
    if (column === undefined) return [];
    const what = whyUnfit(column, wanted);
    return what === undefined ? [] : [`column ${column.name} of ${name} (${column.declared}) ${what}`];
  });
}

function whyUnfit({ kind, digits, length, isPadded }: InboxColumn, wanted: OwnColumn): string | undefined {
  if (kind === "any" || kind === "any-datetime") return undefined;
  switch (wanted.kind) {
    case "text":
      if (kind !== "text" && kind !== "json") return "must hold text";
      if (isPadded === true && wanted.length !== 64) return "must not be padded with blanks: varchar instead of char";
      if (wanted.name === "content_hash" && length !== undefined && length.most < 64) return "must hold 64 characters";
      return undefined;
    case "integer":
      return kind === "integer" || (kind === "decimal" && digits?.behind === 0) ? undefined : "must hold whole numbers";
    case "amount":
      if (kind === "decimal" && (digits === undefined || digits.behind >= AMOUNT_DIGITS)) return undefined;
      return kind === "text" ? undefined : `must be a decimal with ${AMOUNT_DIGITS} digits behind the point`;
    case "moment":
      return ["instant", "datetime", "date", "text"].includes(kind) ? undefined : "must hold a moment";
  }
}

function unfilled({ name, columns }: InboxTable, own: readonly OwnColumn[], named: readonly string[]): string[] {
  const filled = new Set([...own.filter(({ isFilled }) => isFilled).map((column) => column.name), ...named]);
  return columns
    .filter((column) => column.isRequired && !filled.has(column.name))
    .map(
      (column) =>
        `column ${column.name} of ${name} must not be NULL, and svcsync does not fill it: let it be NULL, or give it a default`,
    );
}

/** Tries to add rows, and what a unique key must refuse. Returns what is wrong, and whether adding was refused altogether. */
async function tried(
  inbox: TableInbox,
  stream: InboxStream,
  tables: InboxTablesNow,
  signal: AbortSignal,
): Promise<(readonly [message: string, isRefused: boolean])[]> {
  const own = {
    return_id: `svcsync check ${randomUUID()}`,
    stream: "svcsync-check",
    kind: "fact",
    content_hash: "0".repeat(64),
  };
  const subject = subjectColumn(stream);
  const headRow = (more: Record<string, ReturnValue> = {}) =>
    trial(tables.head, headColumns(stream), {
      ...own,
      [subject]: subject === "service_id" ? 0 : "a",
      version: 0,
      ...more,
    });
  const { lines } = tables;
  const lineRow = (of: InboxTable) =>
    trial(of, lineColumns, { ...own, line_kind: "time", change: "added", line_no: 0, line_id: 0 });
  const wrong: (readonly [string, boolean])[] = [];
  try {
    const added = await inbox.tryAdd([...(lines === undefined ? [] : [lineRow(lines)]), headRow()], signal);
    if (added === "present") return [[`a unique key of ${tables.head.name} refuses even a single new return`, false]];
    const other = { return_id: `${own.return_id} b` };
    const expectUnique = async (rows: InboxRows[], table: InboxTable, key: string) => {
      if ((await inbox.tryAdd(rows, signal)) === "added")
        wrong.push([`${table.name} has no unique key on ${key}: the same could be there twice`, false]);
    };
    await expectUnique([headRow(), headRow({ version: 1 })], tables.head, "return_id");
    await expectUnique([headRow(), headRow(other)], tables.head, `stream, ${subject} and version`);
    if (lines !== undefined) await expectUnique([lineRow(lines), lineRow(lines)], lines, "return_id and line_no");
    if (subject === "record_key") {
      const both = [headRow(), headRow({ ...other, record_key: "A" })];
      if ((await inbox.tryAdd(both, signal)) === "present")
        wrong.push([
          `${tables.head.name} takes keys for the same that differ only in case: give record_key a collation that tells them apart`,
          false,
        ]);
    }
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof SyncError)) throw thrown;
    wrong.push([
      `no row can be added to ${counted(lines === undefined ? 1 : 2, "table")} of the inbox: ${errorText(errorFacts(thrown))}`,
      true,
    ]);
  }
  return wrong;
}

/** A row that no ERP takes for a return: it is never committed. Columns that must be filled have some value of their type. */
function trial(table: InboxTable, own: readonly OwnColumn[], values: Readonly<Record<string, ReturnValue>>): InboxRows {
  const names = new Set([
    ...own.map(({ name }) => name),
    ...table.columns.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  ]);
  const columns = [...names];
  return {
    table,
    columns,
    rows: [columns.map((name) => values[name] ?? sample(table.columns.find((one) => one.name === name)))],
  };
}

function sample(column: InboxColumn | undefined): ReturnValue {
  if (column === undefined || !column.isRequired) return null;
  switch (column.kind) {
    case "date":
    case "datetime":
    case "instant":
    case "any-datetime":
      return "2000-01-01";
    case "time":
      return "00:00:00";
    case "text":
    case "any":
      return "0";
    case "json":
    case "integer":
    case "decimal":
    case "float":
    case "boolean":
    case "binary":
    case "rowversion":
      return 0;
  }
}
