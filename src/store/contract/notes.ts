import type { Json, ResourceName } from "#model";
import type { Note } from "../note.ts";

/** Small facts that must survive a restart and have no better place, such as why a stream is held or which field the service drops. */
export interface NoteStore {
  /** The last saved fact. Undefined if there is none, if it was erased, or if it does not parse. */
  note<Fact>(note: Note<Fact>): Promise<Fact | undefined>;

  /** Replaces the saved fact; `undefined` erases it. */
  saveNote<Fact>(note: Note<Fact>, fact: NoInfer<Fact> | undefined): Promise<void>;

  /** Saves `next` only if the note is still `known` (compare-and-set). Resolves to whether it saved. */
  replaceNote<Fact>(
    note: Note<Fact>,
    known: NoInfer<Fact> | undefined,
    next: NoInfer<Fact> | undefined,
  ): Promise<boolean>;
}

/** A cache of the service's reference data (types, states, countries …), which every start needs and which rarely changes. */
export interface ReferenceStore {
  /** The entries saved last, and when they were read. */
  reference(resource: ResourceName): Promise<{ readAt: number; entries: Json } | undefined>;

  saveReference(resource: ResourceName, entries: Json): Promise<void>;
}
