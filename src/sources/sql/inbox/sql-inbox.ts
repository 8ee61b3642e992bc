import { messageOf, ParkError, type Clock, type JsonObject, type SyncError } from "#model";
import type { InboxColumn, InboxTable, InboxTables, InboxRows, TableInbox } from "../../inbox.ts";
import { translated, type SourceDatabase } from "../database.ts";
import {
  scalar,
  type Column,
  type Engine,
  type QueryResult,
  type SqlCell,
  type WritingSession,
} from "../engines/engine.ts";
import { Pool } from "../pool.ts";
import { CellReader } from "../read/cells.ts";
import { tableColumns } from "../read/layout.ts";
import type { SqlSettings } from "../settings.ts";
import { cellText } from "./cell-text.ts";
import { allOf, compiled, sql, sqlList, tableName, type Sql, type SqlDialect } from "../sql-text.ts";

/** How many rows a statement adds at most: SQL Server takes no more. */
const ROWS_AT_ONCE = 500;
/** How many values a condition compares with at most. */
const VALUES_AT_ONCE = 500;
const WHOLE = /^-?(0|[1-9]\d{0,17})$/;

export interface SqlInboxDeps {
  /** Of the source: asked about tables that are missing. Its sessions cannot write. */
  readonly database: SourceDatabase;
  readonly settings: SqlSettings;
  readonly clock: Clock;
}

/** Some tables of a database, on connections of their own. Nothing but INSERT and SELECT is ever sent. */
export class SqlInbox implements TableInbox {
  readonly #tables: InboxTables;
  readonly #deps: SqlInboxDeps;
  readonly #engine: Engine;
  readonly #pool: Pool<WritingSession>;
  readonly #cells: CellReader;
  readonly #zone: string;

  constructor(tables: InboxTables, deps: SqlInboxDeps) {
    this.#tables = tables;
    this.#deps = deps;
    this.#engine = deps.database.engine;
    this.#zone = deps.settings.timezone ?? "UTC";
    this.#cells = new CellReader(this.#zone);
    this.#pool = new Pool(() => this.#engine.inbox.connect(), deps.settings.connections);
  }

  get dialect(): SqlDialect {
    return this.#engine.name;
  }

  add(rows: readonly InboxRows[], signal: AbortSignal): Promise<"added" | "present"> {
    return this.#transaction(rows, signal, "commit");
  }

  tryAdd(rows: readonly InboxRows[], signal: AbortSignal): Promise<"added" | "present"> {
    return this.#transaction(rows, signal, "rollback");
  }

  async #transaction(rows: readonly InboxRows[], signal: AbortSignal, end: "commit" | "rollback") {
    const { inbox } = this.#engine;
    const inserts = rows.flatMap((some) => this.#inserts(some)).map((insert) => compiled(insert, this.#engine.name));
    let isCommitting = false;
    try {
      await this.#pool.use(signal, async (session) => {
        await session.command(inbox.begin, signal);
        for (const { text, values } of inserts) await session.query(text, values, signal);
        isCommitting = end === "commit";
        await session.command(end, signal);
      });
      return "added";
    } catch (error) {
      signal.throwIfAborted();
      // The pool has ended the connection, and with it the transaction.
      if (inbox.isDuplicate(error)) return "present";
      throw inbox.isRefused(error) ? refusal(error) : translated(this.#deps.database, error, isCommitting);
    }
  }

  #inserts({ table, columns, rows }: InboxRows): Sql[] {
    if (!this.#tables.adds.includes(table.name)) throw new TypeError(`${table.name} is no table of the inbox`);
    const known = columns.map((name) => columnOf(table, name));
    const { value = (text: string | null) => sql`${text}`, mostValues } = this.#engine.inbox;
    const names = sqlList(known.map(({ name }) => sql.id(name)));
    const zone = this.#zone;
    const atOnce = Math.min(ROWS_AT_ONCE, Math.floor(mostValues / known.length));
    return chunks(rows, atOnce).map((some) => {
      const tuples = some.map((row) => {
        const cells = known.map((column, at) =>
          value(cellText(row[at] ?? null, column, { table: table.name, zone }), column),
        );
        return sql`(${sqlList(cells)})`;
      });
      return sql`insert into ${tableName(table.name)} (${names}) values ${sqlList(tuples)}`;
    });
  }

  async rows(
    table: InboxTable,
    columns: readonly string[],
    where: Readonly<Record<string, string | readonly string[]>>,
    signal: AbortSignal,
  ): Promise<readonly JsonObject[]> {
    const [several] = Object.entries(where).flatMap(([name, value]) =>
      typeof value === "string" ? [] : [{ name, value }],
    );
    if (several && several.value.length > VALUES_AT_ONCE) {
      const parts = chunks(several.value, VALUES_AT_ONCE);
      const found: JsonObject[] = [];
      for (const part of parts)
        found.push(...(await this.rows(table, columns, { ...where, [several.name]: part }, signal)));
      return found;
    }
    const read = columns.map((name) => columnOf(table, name));
    const selected = sqlList(read.map((column, at) => sql`${this.#engine.exact(column)} as ${sql.id(`c${at}`)}`));
    const conditions = Object.entries(where).map(([name, value]) =>
      this.#isOneOf(columnOf(table, name), typeof value === "string" ? [value] : value),
    );
    const { rows } = await this.#ask(
      sql`select ${selected} from ${tableName(table.name)} where ${allOf(conditions)}`,
      signal,
    );
    return rows.map((row) =>
      Object.fromEntries(read.map((column, at) => [column.name, this.#cells.read(row[at] ?? null, column)])),
    );
  }

  #isOneOf(column: Column, texts: readonly string[]): Sql {
    if (texts.length === 0) return sql`1 = 0`;
    // A column of SQLite may hold the text or the number.
    const whole = this.#engine.name === "sqlite" ? texts.filter((text) => WHOLE.test(text)).map(BigInt) : [];
    const values = [...texts, ...whole].map((value) => this.#engine.bound(value, column));
    return sql`${sql.id(column.name)} in (${sqlList(values)})`;
  }

  async describe(name: string, signal: AbortSignal): Promise<InboxTable> {
    if (![...this.#tables.adds, ...this.#tables.reads].includes(name))
      throw new TypeError(`${name} is no table of the inbox`);
    const { inbox } = this.#engine;
    const { database } = this.#deps;
    const asked = {
      source: database.source,
      ask: (query: Sql) => this.#ask(query, signal),
      suggestion: (table: string) => database.suggestion(table, signal),
    };
    const columns = await tableColumns(asked, tableName(name), name, signal);
    const { rows } = await this.#ask(inbox.columns(name), signal);
    const declared = new Map(rows.map((row) => [String(row[0]), row]));
    const transactional = inbox.isTransactional?.(name);
    return {
      name,
      columns: columns.map((column) => this.#described(column, declared.get(column.name))),
      isTransactional:
        transactional === undefined || isTrue(await scalar((query) => this.#ask(query, signal), transactional)),
    };
  }

  #described(column: Column, row: readonly SqlCell[] | undefined): InboxColumn {
    const [, type = null, length = null, all = null, behind = null, isRequired = null] = row ?? [];
    const isText = column.kind === "text" && length !== null;
    const declared = type === null ? column.type : String(type);
    return {
      ...column,
      declared: declared.includes("(") || !isText ? declared : `${declared}(${String(length)})`,
      length: isText ? { most: Number(length), in: this.#engine.inbox.countedIn(declared) } : undefined,
      digits: all === null ? undefined : { all: Number(all), behind: Number(behind) },
      isRequired: isTrue(isRequired),
    };
  }

  async rights(table: InboxTable, signal: AbortSignal): Promise<readonly ("update" | "delete")[] | undefined> {
    const { inbox } = this.#engine;
    const both = ["update", "delete"] as const;
    const asked = inbox.rights?.(table.name);
    if (asked !== undefined) {
      const { rows } = await this.#ask(asked, signal);
      return both.filter((_, at) => isTrue(rows[0]?.[at] ?? null));
    }
    const commands = inbox.rightCommands?.(table.name, table.columns[0]?.name ?? "");
    if (commands === undefined) return undefined;
    const granted: ("update" | "delete")[] = [];
    for (const right of both) if (await this.#mayRun(commands[right], signal)) granted.push(right);
    return granted;
  }

  async #mayRun(command: Sql, signal: AbortSignal): Promise<boolean> {
    const { text } = compiled(command, this.#engine.name);
    try {
      await this.#pool.use(signal, (session) => session.command(text, signal));
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const { code } = translated(this.#deps.database, error);
      if (code === "E_SOURCE_FORBIDDEN") return false;
      throw translated(this.#deps.database, error);
    }
  }

  async clockOffset(signal: AbortSignal): Promise<number> {
    const { atMs } = await this.#engine.moment((query) => this.#ask(query, signal));
    return atMs - this.#deps.clock.now();
  }

  /** Asks on a connection whose wait for locks is short, unlike those of streams. */
  async #ask(query: Sql, signal: AbortSignal): Promise<QueryResult> {
    const { text, values } = compiled(query, this.#engine.name);
    try {
      return await this.#pool.use(signal, (session) => session.query(text, values, signal));
    } catch (error) {
      signal.throwIfAborted();
      throw translated(this.#deps.database, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.close();
  }
}

function columnOf(table: InboxTable, name: string): InboxColumn {
  const column = table.columns.find((one) => one.name === name);
  if (!column) throw new TypeError(`${table.name} has no column ${name}`);
  return column;
}

/** What the database itself refuses: a value that does not fit, or a constraint of the inbox. */
function refusal(error: unknown): SyncError {
  const named = typeof error === "object" && error !== null ? error : {};
  const column = [
    "column" in named ? named.column : undefined,
    "constraint" in named ? named.constraint : undefined,
    /(?:column|field) (?:`.+`\.)?[`'"]([^`'"]+)[`'"]/i.exec(messageOf(error))?.[1],
  ].find((text) => typeof text === "string");
  return new ParkError("E_RETURN_INBOX", `the database of the inbox refused the row: ${messageOf(error)}`, {
    cause: error,
    details: { column: column ?? "" },
  });
}

function isTrue(cell: SqlCell): boolean {
  return ["1", "t", "true"].includes(String(cell));
}

function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
