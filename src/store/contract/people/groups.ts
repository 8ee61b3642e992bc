import type { Actor, ErrorFacts, RecordId, RecordState, StreamName } from "#model";

/** Why a record is held up, without its contents, because thousands are read at once. */
export interface HeldRecord {
  readonly id: RecordId;
  readonly state: RecordState;
  readonly error: ErrorFacts | undefined;
}

/** What people noted about a group of records with the same error. */
export interface GroupNote {
  readonly note?: string;
  readonly owner?: string;
  /** No message about the group until then, unless it has grown to ten times as many records. */
  readonly snooze?: { readonly until: number; readonly count: number };
  readonly by: Actor;
  readonly at: number;
}

/** Records by cause, and people's notes about causes. */
export interface GroupStore {
  /** Records of a stream in one state, in key order after `after`, with only their errors. */
  held(query: {
    readonly stream: StreamName;
    readonly state: RecordState;
    readonly after?: string | undefined;
    readonly limit: number;
  }): Promise<HeldRecord[]>;
  /** The notes of all groups, by the group's id. */
  groupNotes(): Promise<ReadonlyMap<string, GroupNote>>;
  /** Replaces the note of a group; undefined deletes it. */
  saveGroupNote(id: string, note: GroupNote | undefined): Promise<void>;
}
