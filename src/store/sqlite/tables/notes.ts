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
