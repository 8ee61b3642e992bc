import {
  ParkError,
  returnName,
  SyncError,
  type Clock,
  type Finding,
  type Json,
  type Return,
  type ReturnAnswer,
  type ReturnContent,
  type ReturnId,
} from "#model";
import type { InboxTable, InboxRows, TableInbox } from "#sources";
import type { Destination } from "../../contract.ts";
import { readAnswer } from "../answer.ts";
import { conflict, newerVersion } from "../conflict.ts";
import { checkInbox } from "./check-inbox.ts";
import {
  answerColumns,
  headColumns,
  lineColumns,
  namedLineColumns,
  subjectColumn,
  type InboxStream,
  type OwnColumn,
} from "./inbox-columns.ts";
import { contentIn, payloadOf } from "./payload.ts";
import { missingColumns, tableNames, type InboxTablesNow } from "./table-columns.ts";

export interface SqlDestinationDeps {
  readonly inbox: TableInbox;
  readonly stream: InboxStream;
  readonly installation: string;
  readonly clock: Clock;
}

/** A head that the inbox has. */
interface KnownHead {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
  readonly hash: string;
}

/** Two tables of the ERP's database that svcsync adds to, and the one in which the ERP answers. */
export class SqlDestination implements Destination {
  readonly #deps: SqlDestinationDeps;
  #tables: Promise<InboxTablesNow> | undefined;

  constructor(deps: SqlDestinationDeps) {
    this.#deps = deps;
  }

  deliver(item: Return, signal: AbortSignal): Promise<"written" | "present" | "answered"> {
    return this.#attempt(async () => {
      const tables = await this.#described(signal);
      const known = await this.#heads(tables, [item.subject], signal);
      if (this.#isThere(item, known)) return "present";
      if (await this.#isAnswered(tables, item, signal)) return "answered";
      if ((await this.#deps.inbox.add(this.#rows(item, tables, known), signal)) === "added") return "written";
      if (this.#isThere(item, await this.#heads(tables, [item.subject], signal))) return "present";
      throw conflict(
        `the inbox has rows of ${this.#name(item)}, but not its head in ${tables.head.name}: a part of it was deleted`,
        { name: this.#name(item) },
      );
    });
  }

  highest(stream: string, subjects: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return this.#attempt(async () => {
      const wanted = new Set(subjects);
      const highest = new Map<string, number>();
      for (const { subject, version } of await this.#heads(await this.#described(signal), subjects, signal, stream))
        if (wanted.has(subject)) highest.set(subject, Math.max(version, highest.get(subject) ?? 0));
      return highest;
    });
  }

  content({ stream, subject, version }: ReturnId, signal: AbortSignal): Promise<ReturnContent | undefined> {
    return this.#attempt(async () => {
      const { head } = await this.#described(signal);
      const column = subjectColumn(this.#deps.stream);
      const wanted = { stream, [column]: subject };
      const rows = await this.#deps.inbox.rows(head, [column, "stream", "version", "payload"], wanted, signal);
      const found = rows.find(
        (row) => row["stream"] === stream && textOf(row[column]) === subject && Number(row["version"]) === version,
      );
      return found && contentIn(textOf(found["payload"]));
    });
  }

  answers(ids: readonly ReturnId[], signal: AbortSignal): Promise<readonly (ReturnAnswer | undefined)[]> {
    return this.#attempt(async () => {
      const tables = await this.#described(signal);
      if (tables.answers === undefined) return ids.map(() => undefined);
      const names = await this.#names(tables, ids, signal);
      const { clock, inbox } = this.#deps;
      const columns = answerColumns.map(({ name }) => name);
      const rows = await inbox.rows(tables.answers, columns, { return_id: [...new Set(names.flat())] }, signal);
      const said = new Map<string, ReturnAnswer>();
      for (const row of rows) {
        const name = textOf(row["return_id"]).trimEnd();
        const answer = readAnswer(row, clock.now());
        const before = said.get(name);
        if (before === undefined || before.at <= answer.at) said.set(name, answer);
      }
      return names.map((some) => some.map((name) => said.get(name)).find((answer) => answer !== undefined));
    });
  }

  check(signal: AbortSignal): Promise<readonly Finding[]> {
    return checkInbox(this.#deps.inbox, this.#deps.stream, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#deps.inbox[Symbol.asyncDispose]();
  }

  #name(id: ReturnId): string {
    return returnName(this.#deps.installation, id);
  }

  /** The names that each of these returns has or may have: our own, and that of another installation. */
  async #names(
    tables: InboxTablesNow,
    ids: readonly ReturnId[],
    signal: AbortSignal,
  ): Promise<readonly (readonly string[])[]> {
    const heads = await this.#heads(tables, [...new Set(ids.map(({ subject }) => subject))], signal);
    const known = new Map(heads.map(({ name, subject, version }) => [`${version}/${subject}`, name]));
    return ids.map((id) => {
      const own = this.#name(id);
      const other = known.get(`${id.version}/${id.subject}`);
      return other === undefined || other === own ? [own] : [other, own];
    });
  }

  /** All versions of these subjects that the inbox has. */
  async #heads(
    { head }: InboxTablesNow,
    subjects: readonly string[],
    signal: AbortSignal,
    stream: string = this.#deps.stream.name,
  ): Promise<readonly KnownHead[]> {
    const column = subjectColumn(this.#deps.stream);
    const read = ["return_id", column, "version", "content_hash", "stream"];
    const rows = await this.#deps.inbox.rows(head, read, { stream, [column]: subjects }, signal);
    return rows
      .filter((row) => row["stream"] === stream)
      .map((row) => ({
        name: textOf(row["return_id"]),
        subject: textOf(row[column]),
        version: Number(row["version"]),
        hash: textOf(row["content_hash"]).trimEnd(),
      }));
  }

  /** @throws {ParkError} E_RETURN_CONFLICT when the inbox has this version with another content, or a newer one. */
  #isThere(item: Return, known: readonly KnownHead[]): boolean {
    const versions = known.filter(({ subject }) => subject === item.subject);
    const found = versions.find(({ version }) => version === item.version);
    if (found !== undefined && found.hash !== item.hash)
      throw conflict(
        `the inbox has ${found.name} with another content (hash ${found.hash.slice(0, 12)}, here ${item.hash.slice(0, 12)})`,
        { name: found.name, found: found.hash, expected: item.hash },
      );
    const newest = Math.max(item.version, ...versions.map(({ version }) => version));
    if (newest > item.version) throw newerVersion(item, newest);
    return found !== undefined;
  }

  async #isAnswered({ answers }: InboxTablesNow, item: Return, signal: AbortSignal): Promise<boolean> {
    if (answers === undefined) return false;
    const name = this.#name(item);
    const rows = await this.#deps.inbox.rows(answers, ["return_id"], { return_id: name }, signal);
    return rows.some((row) => textOf(row["return_id"]).trimEnd() === name);
  }

  #rows(item: Return, tables: InboxTablesNow, known: readonly KnownHead[]): InboxRows[] {
    const { stream } = this.#deps;
    const { content } = item;
    const name = this.#name(item);
    if (tables.lines === undefined && content.lines.length > 0)
      throw new ParkError("E_RETURN_INBOX", `stream ${stream.name} has lines, and no table for them under "to"`);
    const replaced = known.find(({ subject, version }) => subject === item.subject && version === item.replaces);
    const replaces =
      item.replaces === undefined ? null : (replaced?.name ?? this.#name({ ...item, version: item.replaces }));
    const head = {
      return_id: name,
      stream: item.stream,
      record_key: item.subject,
      service_id: item.serviceId ?? null,
      version: item.version,
      kind: item.kind,
      replaces,
      line_count: content.lines.length,
      content_hash: item.hash,
      payload: payloadOf(item),
    };
    const heads: InboxRows = rowsOf(tables.head, headColumns(stream), stream.columns, [
      { own: head, fields: content.fields },
    ]);
    if (tables.lines === undefined || content.lines.length === 0) return [heads];
    const lines = content.lines.map((line, at) => ({
      own: {
        return_id: name,
        line_no: at + 1,
        line_kind: line.kind,
        line_id: line.id,
        change: line.change,
        amount: line.amount,
        amount_before: line.amountBefore,
      },
      fields: line.fields,
    }));
    return [rowsOf(tables.lines, lineColumns, namedLineColumns(stream), lines), heads];
  }

  /** Describes the tables once. After any failure they are described again, because they may have been changed. */
  #described(signal: AbortSignal): Promise<InboxTablesNow> {
    this.#tables ??= this.#describe(signal);
    return this.#tables;
  }

  async #describe(signal: AbortSignal): Promise<InboxTablesNow> {
    const { inbox, stream } = this.#deps;
    const { head, lines, answers } = tableNames(stream);
    const tables = {
      head: await inbox.describe(head, signal),
      lines: lines === undefined ? undefined : await inbox.describe(lines, signal),
      answers: answers === undefined ? undefined : await inbox.describe(answers, signal),
    };
    const missing = missingColumns(stream, tables)[0];
    if (missing !== undefined) throw new ParkError("E_RETURN_INBOX", missing);
    return tables;
  }

  async #attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (thrown) {
      this.#tables = undefined;
      throw meant(thrown);
    }
  }
}

type OwnValues = Readonly<Record<string, string | number | null>>;

function rowsOf(
  table: InboxTable,
  own: readonly OwnColumn[],
  named: readonly string[],
  rows: readonly { readonly own: OwnValues; readonly fields: Return["content"]["fields"] }[],
): InboxRows {
  const names = own.map(({ name }) => name);
  return {
    table,
    columns: [...names, ...named],
    rows: rows.map((row) => [
      ...names.map((name) => row.own[name] ?? null),
      ...named.map((name) => row.fields[name] ?? null),
    ]),
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A source stops at what needs a person; the lane has a code of its own for that, and retries. */
function meant(thrown: unknown): unknown {
  if (!(thrown instanceof SyncError) || !thrown.code.startsWith("E_SOURCE_") || thrown.family !== "park") return thrown;
  return new ParkError("E_RETURN_INBOX", `${thrown.message} (${thrown.code})`, { cause: thrown });
}
