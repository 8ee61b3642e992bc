import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { NoteStore } from "./contract/index.ts";
import type { Note } from "./note.ts";

/** A random hexadecimal text that only this store has under `name`. Concurrent callers get the same text. */
export async function ownText(store: NoteStore, name: string, byteCount: number): Promise<string> {
  const note: Note<string> = { name, schema: z.string(), isOfNames: true };
  for (;;) {
    const known = await store.note(note);
    if (known !== undefined) return known;
    await store.replaceNote(note, undefined, randomBytes(byteCount).toString("hex"));
  }
}
