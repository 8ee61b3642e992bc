import { splitKey, type Change, type Key, type Row, type UnreadableRow } from "#model";
import type { CellReader } from "./cells.ts";
import { allOf, sqlList, sql, type Sql } from "../sql-text.ts";
import type { SourceDatabase } from "../database.ts";
import type { SqlCell, QueryResult } from "../engines/engine.ts";
import type { FeedTable, Piece, Rows } from "./feed.ts";
import { keyReader, rowReader, type TableLayout } from "./layout.ts";
import { Oddity } from "./oddity.ts";

/** Keys per statement of a lookup: far below every database's limit of bound values. */
const keysPerStatement = 100;
/** Rows that are made into changes at once. More would hold up the status page and deliveries, here and in the store. */
const rowsPerPiece = 1_500;
/** The most that the rows of one lookup may weigh together, in bytes. */
const answerBytes = 8_000_000;

/** The stream's own table: its rows are records. */
export class StreamTable implements FeedTable {
  readonly layout: TableLayout;
  readonly #database: SourceDatabase;
  readonly #keyOf: (row: readonly SqlCell[]) => Key;
  readonly #rowOf: (row: readonly SqlCell[]) => Row | Oddity;

  constructor(database: SourceDatabase, layout: TableLayout, cells: CellReader) {
    this.#database = database;
    this.layout = layout;
    this.#keyOf = keyReader(layout);
    this.#rowOf = rowReader(layout, cells);
  }

  async *read(rows: Rows, keys: readonly Key[], oddities: readonly (Oddity | undefined)[]): AsyncGenerator<Piece> {
    for (let from = 0; from < rows.length; from += rowsPerPiece) {
      const changes: Change[] = [];
      const unreadable: UnreadableRow[] = [];
      for (let at = from; at < Math.min(rows.length, from + rowsPerPiece); at++) {
        const key = keys[at]!;
        const read = oddities[at] ?? this.#rowOf(rows[at]!);
        if (read instanceof Oddity) unreadable.push({ key, place: read.place, reason: read.reason });
        else changes.push({ kind: "upsert", key, row: read });
      }
      yield { changes, unreadable };
    }
  }

  async countOf(key: Key, signal: AbortSignal): Promise<number> {
    return (await this.#answer([key], signal)).rows.filter((row) => this.#keyOf(row) === key).length;
  }

  /** Yields the records of `keys` as they are now, some at a time; undefined for those that do not exist. */
  async *find(keys: readonly Key[], signal: AbortSignal): AsyncGenerator<ReadonlyMap<Key, Row | Oddity | undefined>> {
    const wanted = [...new Set(keys)];
    for (let at = 0; at < wanted.length; at += keysPerStatement)
      yield* this.#find(wanted.slice(at, at + keysPerStatement), signal);
  }

  /** Reads the records of `keys`. If their rows are too large for one answer, asks for each half. */
  async *#find(keys: readonly Key[], signal: AbortSignal): AsyncGenerator<ReadonlyMap<Key, Row | Oddity | undefined>> {
    const { rows, isCut } = await this.#answer(keys, signal, keys.length === 1 ? undefined : answerBytes);
    if (isCut === true) {
      const half = Math.ceil(keys.length / 2);
      yield* this.#find(keys.slice(0, half), signal);
      yield* this.#find(keys.slice(half), signal);
      return;
    }
    const found = new Map<Key, Row | Oddity | undefined>(keys.map((key) => [key, undefined]));
    for (const row of rows) {
      const key = this.#keyOf(row);
      // A database that ignores case or trailing spaces also returns records with other keys.
      if (found.has(key)) found.set(key, this.#rowOf(row));
    }
    yield found;
  }

  async #answer(keys: readonly Key[], signal: AbortSignal, maxBytes?: number): Promise<QueryResult> {
    const { engine } = this.#database;
    const names = this.layout.columns.map((column, at) => sql`${engine.exact(column)} as ${sql.id(`c${at}`)}`);
    const which = sql.join(
      keys.map((key) => this.#is(key)),
      sql` or `,
    );
    return await this.#database.ask(
      sql`select ${sqlList(names)} from ${this.layout.from} where ${this.layout.condition} and (${which})`,
      signal,
      maxBytes,
    );
  }

  #is(key: Key): Sql {
    const parts = splitKey(key);
    if (parts.length !== this.layout.key.length) return sql`1 = 0`;
    return sql`(${allOf(this.layout.key.map((column, at) => this.#database.engine.equals(column, parts[at]!)))})`;
  }
}

/** A log of keys (an outbox, a table of deleted keys). The records' own table shows what became of them. */
export class KeyLog implements FeedTable {
  readonly layout: TableLayout;
  readonly #records: StreamTable;
  readonly #tells: Change["kind"];
  readonly #signal: AbortSignal;

  /** `tells` decides what is reported: the records that exist, or the keys that no longer have one. */
  constructor(layout: TableLayout, records: StreamTable, tells: Change["kind"], signal: AbortSignal) {
    this.layout = layout;
    this.#records = records;
    this.#tells = tells;
    this.#signal = signal;
  }

  /** Ignores oddities, because what makes a row of the log odd says nothing about its record. */
  async *read(_rows: Rows, keys: readonly Key[]): AsyncGenerator<Piece> {
    for await (const found of this.#records.find(keys, this.#signal)) {
      const piece = { changes: [] as Change[], unreadable: [] as UnreadableRow[] };
      for (const [key, row] of found) this.#tell(piece, key, row);
      yield piece;
    }
  }

  #tell({ changes, unreadable }: { changes: Change[]; unreadable: UnreadableRow[] }, key: Key, row?: Row | Oddity) {
    if (this.#tells === "delete") {
      if (row === undefined) changes.push({ kind: "delete", key });
    } else if (row instanceof Oddity) unreadable.push({ key, place: row.place, reason: row.reason });
    else if (row) changes.push({ kind: "upsert", key, row });
  }
}
