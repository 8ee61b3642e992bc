import type { Database } from "better-sqlite3";
import type { Json } from "#model";
import type { Logger } from "#telemetry";
import { isSameFact, NoteReader, type Note } from "../../note.ts";
import { parseText, type JsonText } from "../../rows/json-text.ts";

/** Small facts that survive a restart. */
export class Notes {
  readonly #reader: NoteReader;
  readonly #find;
  readonly #save;
  readonly #erase;

  constructor(db: Database, logger: Logger) {
    this.#reader = new NoteReader(logger);
    this.#find = db.prepare<[string], JsonText<Json>>("SELECT value FROM notes WHERE name = ?").pluck();
    this.#save = db.prepare<[string, string]>(`
      INSERT INTO notes (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`);
    this.#erase = db.prepare<[string]>("DELETE FROM notes WHERE name = ?");
  }

  note<Fact>(note: Note<Fact>): Fact | undefined {
    const text = this.#find.get(note.name);
    return this.#reader.read(note, text === undefined ? undefined : parseText(text));
  }

  save<Fact>({ name }: Note<Fact>, fact: Fact | undefined): void {
    if (fact === undefined) this.#erase.run(name);
    else this.#save.run(name, JSON.stringify(fact));
  }

  replace<Fact>(note: Note<Fact>, known: Fact | undefined, next: Fact | undefined): boolean {
    if (!isSameFact(this.note(note), known)) return false;
    this.save(note, next);
    return true;
  }
}

/** Counts the creates, or the other writes, that were begun. */
export class RequestCount {
  readonly #name;
  readonly #add;

  constructor(db: Database, { name }: Note<number>) {
    this.#name = name;
    this.#add = db
      .prepare<[string], number>(
        `INSERT INTO notes (name, value) VALUES (?, '1')
         ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)
         RETURNING CAST(value AS INTEGER)`,
      )
      .pluck();
  }

  /** Adds one. @returns the new total. */
  add(): number {
    return this.#add.get(this.#name)!;
  }
}
