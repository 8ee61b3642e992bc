import type { Database } from "better-sqlite3";
import type { ErrorFacts, Key } from "#model";
import type { GroupNote, GroupStore, HeldRecord } from "../../contract/groups.ts";
import type { Access } from "../access.ts";
import { parseOptional, parseText, type JsonText } from "./json-text.ts";

/** Records by cause, and the notes about causes. */
export class Groups implements GroupStore {
  readonly #access: Access;
  readonly #held;
  readonly #notes;
  readonly #save;
  readonly #forget;

  constructor(db: Database, access: Access) {
    this.#access = access;
    this.#held = db.prepare<[object], { key: Key; error: JsonText<ErrorFacts> | null }>(`
      SELECT key, error FROM records WHERE stream = @stream AND state = @state AND key > @after ORDER BY key LIMIT @limit`);
    this.#notes = db.prepare<[], { id: string; note: JsonText<GroupNote> }>("SELECT id, note FROM group_notes");
    this.#save = db.prepare<[string, string]>("INSERT OR REPLACE INTO group_notes (id, note) VALUES (?, ?)");
    this.#forget = db.prepare<[string]>("DELETE FROM group_notes WHERE id = ?");
  }

  held({ stream, state, after = "", limit }: Parameters<GroupStore["held"]>[0]): Promise<HeldRecord[]> {
    return this.#access.read(() =>
      this.#held
        .all({ stream, state, after, limit })
        .map(({ key, error }) => ({ id: { stream, key }, state, error: parseOptional(error) })),
    );
  }

  groupNotes(): Promise<ReadonlyMap<string, GroupNote>> {
    return this.#access.read(() => new Map(this.#notes.all().map(({ id, note }) => [id, parseText(note)])));
  }

  saveGroupNote(id: string, note: GroupNote | undefined): Promise<void> {
    const clean = this.#access.clean(note);
    return this.#access.step(() => {
      if (clean === undefined) this.#forget.run(id);
      else this.#save.run(id, JSON.stringify(clean));
    });
  }
}
