import type { Actor, ErrorFacts, RecordId, RecordState, StreamName } from "#model";

/** What a record is held up by, without its contents: thousands are read at once. */
export interface HeldRecord {
  readonly id: RecordId;
  readonly state: RecordState;
  readonly error: ErrorFacts | undefined;
}

/** What people wrote down about a group of records that met the same error. */
export interface GroupNote {
  readonly note?: string;
  readonly owner?: string;
  /** No message about the group until then, unless it has ten times as many records. */
  readonly snooze?: { readonly until: number; readonly count: number };
  readonly by: Actor;
  readonly at: number;
}

/** Records by cause, and what people wrote down about causes. */
export interface GroupStore {
  /** Records of a stream in one state, in key order after `after`, with their errors alone. */
  held(query: {
    readonly stream: StreamName;
    readonly state: RecordState;
    readonly after?: string | undefined;
    readonly limit: number;
  }): Promise<HeldRecord[]>;
  /** The notes of all groups, by the group's id. */
  groupNotes(): Promise<ReadonlyMap<string, GroupNote>>;
  /** Replaces the note of a group; undefined forgets it. */
  saveGroupNote(id: string, note: GroupNote | undefined): Promise<void>;
}
