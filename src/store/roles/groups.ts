import type { ErrorFacts, Key } from "#model";
import type { GroupNote, GroupStore, HeldRecord } from "../contract/people/groups.ts";
import { parseOptional, parseText, type JsonText } from "../rows/json-text.ts";
import { upsert, type Access, type Dialect } from "./access.ts";

/** Records by cause, and people's notes about causes. */
export class Groups implements GroupStore {
  readonly #access: Access;
  readonly #held: string;

  constructor(access: Access, { isAfter, keyOrder }: Dialect) {
    this.#access = access;
    this.#held = `
      SELECT key, error FROM records WHERE stream = @stream AND state = @state AND ${isAfter} ORDER BY ${keyOrder} LIMIT @limit`;
  }

  async held({ stream, state, after = "", limit }: Parameters<GroupStore["held"]>[0]): Promise<HeldRecord[]> {
    const values = { stream, state, after, limit };
    const rows = await this.#access.read<{ key: Key; error: JsonText<ErrorFacts> | null }>(this.#held, values);
    return rows.map(({ key, error }) => ({ id: { stream, key }, state, error: parseOptional(error) }));
  }

  async groupNotes(): Promise<ReadonlyMap<string, GroupNote>> {
    const rows = await this.#access.read<{ id: string; note: JsonText<GroupNote> }>("SELECT id, note FROM group_notes");
    return new Map(rows.map(({ id, note }) => [id, parseText(note)]));
  }

  async saveGroupNote(id: string, note: GroupNote | undefined): Promise<void> {
    const clean = this.#access.clean(note);
    await this.#access.step([
      clean === undefined
        ? { sql: "DELETE FROM group_notes WHERE id = @id", values: { id } }
        : upsert("group_notes", "id", { id, note: JSON.stringify(clean) }),
    ]);
  }
}
