import type { Json, ResourceName } from "#model";
import type { Note } from "../note.ts";

/** Small facts that must survive a restart and have no better place (why a stream is held, which field the service drops …). */
export interface NoteStore {
  /** What was saved last; undefined where nothing was, where it was erased, and where it does not parse. */
  note<Fact>(note: Note<Fact>): Promise<Fact | undefined>;

  /** Replaces what was saved; `undefined` erases it. */
  saveNote<Fact>(note: Note<Fact>, fact: NoInfer<Fact> | undefined): Promise<void>;

  /** Saves `next` only if the note still is `known` (compare-and-set), and resolves to whether it was. */
  replaceNote<Fact>(
    note: Note<Fact>,
    known: NoInfer<Fact> | undefined,
    next: NoInfer<Fact> | undefined,
  ): Promise<boolean>;
}

/** A cache of the service's reference data (types, states, countries …), which every start needs and which rarely changes. */
export interface ReferenceStore {
  /** What was last saved, and when. */
  reference(resource: ResourceName): Promise<{ readAt: number; entries: Json } | undefined>;

  saveReference(resource: ResourceName, entries: Json): Promise<void>;
}
