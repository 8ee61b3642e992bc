import type { Json } from "#model";

/** What must survive a restart and has no better place. */
export interface NoteStore {
  /** Small facts that must survive a restart and have no better place (schema drift reported, breaker times …). */
  note(name: string): Promise<Json | undefined>;

  saveNote(name: string, value: Json): Promise<void>;
}
