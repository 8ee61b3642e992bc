import { z } from "zod";
import type { Binding, Cursor, ErrorFacts, Key, Projection, RecordId, RecordState, Row, ServiceId } from "#model";
import type { AuditEntry, Decision, InFlight, Intent } from "./claim.ts";
import type { Note } from "./note.ts";

/** An entry of the audit trail: when, and about which record. What a person did to a whole stream has an empty key. */
export interface AuditRecord extends AuditEntry {
  readonly at: number;
  readonly id: RecordId;
}

/** A record whose latest row cannot be read, and why. */
export interface Unreadable {
  readonly key: Key;
  readonly error: ErrorFacts;
}

/** The result of a batch of a poll. A superseded change and a deletion of an unknown key are neither. */
export interface StageResult {
  /** Rows that are new or really changed and are now due. */
  readonly changed: number;
  /** Rows dropped because their content hash is what the store has. */
  readonly unchanged: number;
}

/** The facts of polls: what `status` shows. */
export interface CursorState {
  readonly cursor: Cursor | null;
  /** How far the deletion feed was read. */
  readonly deletionCursor: Cursor | null;
  /** Of the last change that was staged. */
  readonly sequence: number;
  /** When a poll last brought an answer. */
  readonly polledAt: number | undefined;
  /** When a poll last reached the end of its window. */
  readonly completedAt: number | undefined;
  /** Rows of the poll that runs, or of the last one. */
  readonly rowsRead: number;
  readonly error: (ErrorFacts & { readonly at: number }) | undefined;
  /** True until one poll from the beginning has reached its end. */
  readonly firstLoad: boolean;
}

/** A deletion that is to be carried out, among those of its stream. */
export interface ToldDeletion {
  /** When it was first told of. */
  readonly toldAt: number;
  /** Deletions of the stream told of since the moments that were asked for: those that are open, and those carried out. */
  readonly count: number;
  /** False while other changes that came no later are still to be delivered: there may be deletions among them. */
  readonly isCounted: boolean;
}

/** One record's row as people and commands see it. */
export interface RecordView {
  readonly id: RecordId;
  readonly state: RecordState;
  /** The last readable one; empty where none was ever read. */
  readonly row: Row;
  /** Why the ERP's latest row cannot be read; undefined where it can. */
  readonly unreadable?: ErrorFacts | undefined;
  readonly deleted: boolean;
  readonly sequence: number;
  readonly appliedSequence: number | undefined;
  readonly attempts: number;
  /** Absent for a claimed record and for one that only an event wakes. */
  readonly dueAt: number | undefined;
  /** When the last real change was staged. */
  readonly changedAt: number;
  readonly error: ErrorFacts | undefined;
  readonly binding: Binding | undefined;
  /** A person's answer that the next delivery carries out. `unbound`: they have not said yet what it belongs to. */
  readonly decision: Decision | undefined;
  readonly applied: Projection | undefined;
  /** What may differ from `applied` in the service. */
  readonly inFlight?: InFlight | undefined;
  readonly intent: Intent | undefined;
  /** The missing parents of a waiting record. */
  readonly waitsFor: readonly RecordId[];
}

/** A record whose turn has come, and whether it belongs to a first load. */
export interface DueRecord {
  readonly id: RecordId;
  readonly backfill: boolean;
  /** Since when: a claim moves it. */
  readonly dueAt: number;
}

/** How far the first run of a stream into its resource has been decided. */
export interface Adoption {
  readonly decision: "empty" | "adopt" | "create-all";
  readonly at: number;
}

/** What a whole read of a resource has not shown so far of what was known before it. */
export interface UnseenMatches {
  /** Records that were known, and those that the read has shown. */
  readonly known: number;
  readonly unseen: number;
  /** Some of the unseen ones, at random. */
  readonly some: readonly ServiceId[];
}

/** One record of the service as the match index remembers it. */
export interface MatchEntry {
  readonly serviceId: ServiceId;
  /** Rule (its fields joined by a comma) to normalised natural key. */
  readonly keys: Readonly<Record<string, string>>;
}

/** Why the row of a record cannot be read whose contents a person had forgotten. */
export const forgottenError: ErrorFacts = {
  code: "E_FORGOTTEN",
  message: "its contents were forgotten at a person's request",
  details: {},
};

/** Whether the record's contents were forgotten, and the ERP has not shown it since. */
export function isForgotten({ unreadable }: { readonly unreadable?: ErrorFacts | undefined }): boolean {
  return unreadable?.code === forgottenError.code;
}

/**
 * The note of a store that is older than the service: restored from a copy, or made again after it was lost. It holds `true`
 * until the service had time to show what was written before.
 */
export const restoredNote: Note<boolean> = { name: "restored", schema: z.boolean() };

/**
 * The note of how many creates were ever begun, counted by the step that begins one; none before the first. It goes back only
 * when the store's files do.
 */
export const createsNote: Note<number> = { name: "creates", schema: z.number() };

/** The note of how far the clock had got when something was last written. */
export const latestNote: Note<number> = { name: "clock/latest", schema: z.number() };
/** Its steps: enough to tell a clock that was set from one that runs, and no more than two writes a second. */
export const GRAIN_MS = 500;

/** The note of when the store was last proven to be writable. */
export const checkedNote: Note<number> = { name: "store.checkedAt", schema: z.number() };

/** The note of the session that the daemons of one store share. Its `revoked` is set in the step that frees what a lost daemon had begun. */
export const sessionNoteName = "service/session";

/** A create that a lost daemon had begun, and when that daemon was lost. */
export interface LostCreate extends RecordId {
  readonly lostAt: number;
}

/** The note of the creates that lost daemons had begun: each may be carried out late, beside another one. */
export const lostCreatesNote: Note<readonly LostCreate[]> = {
  name: "lost-creates",
  isOfNames: true,
  schema: z.array(z.object({ stream: z.string(), key: z.string(), lostAt: z.number() })),
};
