import { join, resolve } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { ADD_MARK, FIND_MARK, type MoveMark } from "../move/mark.ts";
import {
  IS_USED,
  ROWS_AT_ONCE,
  type LastNumbers,
  type MoveDeps,
  type MovedRow,
  type MovedTable,
  type MoveSide,
} from "../move/side.ts";
import { connect, makeDataDir } from "./durability/connection.ts";
import { DaemonLock } from "./durability/daemon-lock.ts";
import { sqliteFailure } from "./durability/failures.ts";
import { migrate } from "./durability/migrate.ts";
import { nextTurn } from "./fair-turn.ts";
import { sqliteMigrations } from "./migrations/index.ts";
import { giveBackClaims } from "./tables/claims.ts";

const TABLES = `
  SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' AND name <> 'move' ORDER BY rowid`;

/** A store in a folder as one side of a move. No command may have it open at the same time. */
export class SqliteMoveSide implements MoveSide {
  readonly place: string;
  readonly #db: Database;
  readonly #lock: DaemonLock;

  private constructor(place: string, db: Database, lock: DaemonLock) {
    this.place = place;
    this.#db = db;
    this.#lock = lock;
  }

  /**
   * @throws {StopError} E_STORE_BUSY and others, like a daemon that opens it. @throws {RetryError} E_STORE_LOCKED when a command has it
   * open.
   */
  static open(dataDir: string, { clock, logger }: MoveDeps): SqliteMoveSide {
    const path = join(dataDir, "svcsync.db");
    let lock: DaemonLock | undefined;
    let db: Database | undefined;
    try {
      makeDataDir(dataDir);
      lock = DaemonLock.take(dataDir);
      db = connect(path, { isAlone: true });
      const from = migrate(db, sqliteMigrations);
      if (from !== sqliteMigrations.length)
        logger.info({ from, to: sqliteMigrations.length, path }, "migrated the store");
      // A daemon that joins in PostgreSQL does this too; so neither store has claims.
      giveBackClaims(db, clock, logger);
      // Tables are copied, and cleared after an interrupted move, one by one.
      db.pragma("foreign_keys = OFF");
      return new SqliteMoveSide(`sqlite:${resolve(dataDir)}`, db, lock);
    } catch (thrown) {
      db?.close();
      lock?.[Symbol.dispose]();
      throw sqliteFailure(thrown, path);
    }
  }

  async mark(): Promise<MoveMark | undefined> {
    return this.#do(() => this.#db.prepare<[], MoveMark>(FIND_MARK).get());
  }

  async saveMark(mark: MoveMark): Promise<void> {
    this.#do(() => {
      if (!this.#db.inTransaction) this.#db.exec("BEGIN IMMEDIATE");
      this.#db.exec("DELETE FROM move");
      this.#db.prepare(ADD_MARK).run(mark);
      this.#db.exec("COMMIT");
      // Writes the log into the file and waits for the disk.
      this.#db.pragma("wal_checkpoint(TRUNCATE)");
    });
  }

  async freeze(): Promise<void> {
    this.#do(() => this.#db.exec("BEGIN IMMEDIATE"));
  }

  async isUnused(): Promise<boolean> {
    return this.#do(() => this.#db.prepare<[], number>(IS_USED).pluck().get() === 0);
  }

  async *rows({ name, columns, key }: MovedTable): AsyncIterable<readonly MovedRow[]> {
    let rows: MovedRow[] = [];
    const all = this.#db.prepare<[], MovedRow>(`SELECT ${listOf(columns)} FROM ${name} ORDER BY ${listOf(key)}`).raw();
    for (const row of all.iterate()) {
      if (rows.push(row) < ROWS_AT_ONCE) continue;
      yield rows;
      rows = [];
      await nextTurn();
    }
    if (rows.length > 0) yield rows;
  }

  async write({ name, columns }: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const places = columns.map(() => "?").join(", ");
    const insert = this.#db.prepare<[MovedRow]>(`INSERT INTO ${name} (${listOf(columns)}) VALUES (${places})`);
    this.#do(() => this.#db.transaction(() => rows.forEach((row) => insert.run(row))).immediate());
  }

  async clear({ name }: MovedTable): Promise<void> {
    this.#do(() => this.#db.exec(`DELETE FROM ${name}`));
  }

  async lastNumbers(): Promise<LastNumbers> {
    const all = this.#db.prepare<[], { name: string; seq: number }>("SELECT name, seq FROM sqlite_sequence").all();
    return new Map(all.map(({ name, seq }) => [name, seq]));
  }

  /** SQLite stores last numbers for tables that never reuse one, in a row for each table that was ever written to. */
  async finish(numbers: LastNumbers): Promise<void> {
    const tables = this.#db
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'")
      .pluck();
    const forget = this.#db.prepare<[string]>("DELETE FROM sqlite_sequence WHERE name = ?");
    const save = this.#db.prepare<[string, number]>("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)");
    this.#do(() =>
      this.#db.transaction(() => {
        for (const name of tables.all()) {
          forget.run(name);
          save.run(name, numbers.get(name) ?? 0);
        }
      })(),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
    this.#lock[Symbol.dispose]();
  }

  #do<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      throw sqliteFailure(thrown, this.#db.name);
    }
  }
}

/** The tables to copy, in order of creation: all but that of the move. PostgreSQL has the same tables and columns. */
export function movedTables(): MovedTable[] {
  const db = new SqliteDatabase(":memory:");
  migrate(db, sqliteMigrations);
  const tables = db.prepare<[], string>(TABLES).pluck().all();
  const columnsOf = db.prepare<[string], { name: string; pk: number }>("SELECT name, pk FROM pragma_table_info(?)");
  const found = tables.map((name) => {
    const columns = columnsOf.all(name);
    const key = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
    return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
  });
  db.close();
  return found;
}

/** Quotes columns such as "before" and "row", which are SQL keywords. */
const listOf = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(", ");
