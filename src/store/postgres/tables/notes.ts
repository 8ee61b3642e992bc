import type { Json } from "#model";
import type { NoteStore } from "../../contract/notes.ts";
import { NoteReader, isSameFact, storedFact, type Note } from "../../note.ts";
import { upsert } from "../../roles/access.ts";
import { parseText, type JsonText } from "../../rows/json-text.ts";
import type { Database } from "../database.ts";
import { fill, filled } from "../sql.ts";

/** Small facts that survive a restart. */
export function noteStore(db: Database): NoteStore {
  const reader = new NoteReader(db.logger);
  const storedAs = async (name: string) => {
    const [row] = await db.read<{ value: JsonText<Json> }>("SELECT value FROM notes WHERE name = @name", { name });
    return row?.value;
  };
  const parsed = <Fact>(note: Note<Fact>, stored: JsonText<Json> | undefined) =>
    reader.read(note, stored === undefined ? undefined : parseText(stored));
  const textOf = (note: Note<unknown>, fact: unknown) =>
    fact === undefined ? undefined : JSON.stringify(storedFact(note, fact, db.clean));
  return {
    note: async (note) => parsed(note, await storedAs(note.name)),
    async saveNote(note, fact) {
      const { name } = note;
      const value = textOf(note, fact);
      await db.step([
        value === undefined
          ? fill("DELETE FROM notes WHERE name = @name", { name })
          : filled(upsert("notes", "name", { name, value })),
      ]);
    },
    async replaceNote(note, known, next) {
      const { name } = note;
      const stored = await storedAs(name);
      if (!isSameFact(parsed(note, stored), known)) return false;
      const value = textOf(note, next);
      if (stored === undefined && value === undefined) return true;
      const [result] = await db.step([fill(replacing(stored, value), { name, stored, value })]);
      return result?.rowCount === 1;
    },
  };
}

/** Replaces the note unless it has changed since it was read. */
function replacing(stored: string | undefined, value: string | undefined): string {
  if (stored === undefined) return "INSERT INTO notes (name, value) VALUES (@name, @value) ON CONFLICT DO NOTHING";
  const isStored = "WHERE name = @name AND value = @stored";
  return value === undefined ? `DELETE FROM notes ${isStored}` : `UPDATE notes SET value = @value ${isStored}`;
}
