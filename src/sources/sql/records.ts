import { sql } from "kysely";
import { splitKey, type Change, type Key, type Row } from "#model";
import type { CellReader } from "./cells.ts";
import { all } from "./compile.ts";
import type { Database } from "./database.ts";
import type { Sql } from "./engine.ts";
import type { Part, Rows } from "./feed.ts";
import { keyOf, rowOf, type Layout } from "./layout.ts";

/** Keys per statement of a look-up: far below every database's limit of bound values. */
const keysPerStatement = 100;

/** The stream's own table: its rows are records. */
export class Records implements Part {
  readonly layout: Layout;
  readonly #database: Database;
  readonly #cells: CellReader;

  constructor(database: Database, layout: Layout, cells: CellReader) {
    this.#database = database;
    this.layout = layout;
    this.#cells = cells;
  }

  async changes(rows: Rows): Promise<readonly Change[]> {
    return rows.map((row) => this.#upsert(row));
  }

  async countOf(key: Key, signal: AbortSignal): Promise<number> {
    return (await this.#rows([key], signal)).filter((row) => keyOf(this.layout, row) === key).length;
  }

  /** The records that exist among `keys`, as they are now. */
  async find(keys: readonly Key[], signal: AbortSignal): Promise<ReadonlyMap<Key, Row>> {
    const found = new Map<Key, Row>();
    const wanted = [...new Set(keys)];
    for (let at = 0; at < wanted.length; at += keysPerStatement)
      for (const row of await this.#rows(wanted.slice(at, at + keysPerStatement), signal)) {
        const key = keyOf(this.layout, row);
        // A database that ignores case or trailing spaces also gives records with another key.
        if (wanted.includes(key)) found.set(key, rowOf(this.layout, row, this.#cells));
      }
    return found;
  }

  async #rows(keys: readonly Key[], signal: AbortSignal): Promise<Rows> {
    const { engine } = this.#database;
    const names = this.layout.columns.map((column, at) => sql`${engine.exact(column)} as ${sql.id(`c${at}`)}`);
    const which = sql.join(
      keys.map((key) => this.#is(key)),
      sql` or `,
    );
    const { rows } = await this.#database.ask(
      sql`select ${sql.join(names)} from ${this.layout.from} where ${this.layout.condition} and (${which})`,
      signal,
    );
    return rows;
  }

  #is(key: Key): Sql {
    const parts = splitKey(key);
    if (parts.length !== this.layout.key.length) return sql`1 = 0`;
    return sql`(${all(this.layout.key.map((column, at) => this.#database.engine.equals(column, parts[at]!)))})`;
  }

  #upsert(row: Rows[number]): Change {
    return { kind: "upsert", key: keyOf(this.layout, row), row: rowOf(this.layout, row, this.#cells) };
  }
}

/** A log of keys (an outbox, a table of deleted keys): what became of the records is asked of their own table. */
export class KeyLog implements Part {
  readonly layout: Layout;
  readonly #records: Records;
  readonly #tells: Change["kind"];
  readonly #signal: AbortSignal;

  /** `tells`: the records that exist, or the keys that have none any more. */
  constructor(layout: Layout, records: Records, tells: Change["kind"], signal: AbortSignal) {
    this.layout = layout;
    this.#records = records;
    this.#tells = tells;
    this.#signal = signal;
  }

  async changes(rows: Rows): Promise<readonly Change[]> {
    const keys = [...new Set(rows.map((row) => keyOf(this.layout, row)))];
    const found = await this.#records.find(keys, this.#signal);
    return keys.flatMap((key): Change[] => {
      const row = found.get(key);
      if (this.#tells === "upsert") return row ? [{ kind: "upsert", key, row }] : [];
      return row ? [] : [{ kind: "delete", key }];
    });
  }
}
