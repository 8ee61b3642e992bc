import { z } from "zod";
import type { Binding, Cursor, ErrorFacts, Key, Projection, RecordId, RecordState, Row, ServiceId } from "#model";
import type { AuditEntry, Decision, InFlight, Intent } from "./claim.ts";
import type { Note } from "./note.ts";

/** An audit entry with its time and record. The key is empty for an action on a whole stream. */
export interface AuditRecord extends AuditEntry {
  readonly at: number;
  readonly id: RecordId;
}

/** A record whose latest row cannot be read, and why. */
export interface Unreadable {
  readonly key: Key;
  readonly error: ErrorFacts;
}

/** The result of staging a batch. Superseded changes and deletions of unknown keys are not counted. */
export interface StageResult {
  /** Rows that are new or really changed; they are now due. */
  readonly changed: number;
  /** Rows dropped because their content hash is unchanged. */
  readonly unchanged: number;
}

/** The facts about a stream's polls that `status` shows. */
export interface PollState {
  readonly cursor: Cursor | null;
  /** How far the deletion feed was read. */
  readonly deletionCursor: Cursor | null;
  /** The sequence of the last staged change. */
  readonly sequence: number;
  /** When a poll last got an answer. */
  readonly polledAt: number | undefined;
  /** When a poll last reached the end of its window. */
  readonly completedAt: number | undefined;
  /** Rows read by the current poll, or by the last one. */
  readonly rowsRead: number;
  readonly error: (ErrorFacts & { readonly at: number }) | undefined;
  /** True until one poll from the beginning has completed. */
  readonly firstLoad: boolean;
}

/** What is known of a stream: how far it was read, by which mapping, and what was decided about existing records. */
export interface StreamState extends PollState {
  /** The mapping fingerprint of the last remap; undefined before the first. */
  readonly fingerprint: string | undefined;
  readonly adoption: Adoption | undefined;
}

/** A deletion about to be carried out, with the number of deletions in its stream. */
export interface AnnouncedDeletion {
  /** When the deletion was first announced. */
  readonly toldAt: number;
  /** The stream's deletions announced since the given times: those still open and those carried out. */
  readonly count: number;
  /** False while other changes staged no later are still to be delivered, because some of them may be deletions. */
  readonly isCounted: boolean;
}

/** A record as people and commands see it. */
export interface RecordView {
  readonly id: RecordId;
  readonly state: RecordState;
  /** The last readable row; empty if there never was one. */
  readonly row: Row;
  /** Why the ERP's latest row cannot be read; undefined if it can. */
  readonly unreadable?: ErrorFacts | undefined;
  readonly deleted: boolean;
  readonly sequence: number;
  readonly appliedSequence: number | undefined;
  readonly attempts: number;
  /** Absent for a claimed record and for one that only an event wakes. */
  readonly dueAt: number | undefined;
  /** When the last real change was staged. */
  readonly changedAt: number;
  /** Its latest change is not delivered before a person, or a count, decides about the round that brought it. */
  readonly isGuarded?: true;
  readonly error: ErrorFacts | undefined;
  readonly binding: Binding | undefined;
  /** A person's answer that the next delivery carries out. `unbound`: they have not decided yet what the record belongs to. */
  readonly decision: Decision | undefined;
  readonly applied: Projection | undefined;
  /** Fields whose value in the service may differ from `applied`. */
  readonly inFlight?: InFlight | undefined;
  readonly intent: Intent | undefined;
  /** The missing parents of a waiting record. */
  readonly waitsFor: readonly RecordId[];
}

/** A due record, and whether it belongs to a first load. */
export interface DueRecord {
  readonly id: RecordId;
  readonly backfill: boolean;
  /** When it became due; a claim changes this. */
  readonly dueAt: number;
}

/** How far the adoption of a stream's existing records has been decided. */
export interface Adoption {
  readonly decision: "empty" | "adopt" | "create-all";
  readonly at: number;
}

/** Records known before a whole read of a resource that the read has not shown so far. */
export interface UnseenMatches {
  /** The number of records known before, and how many of them the read has shown. */
  readonly known: number;
  readonly unseen: number;
  /** A random sample of the unseen ones. */
  readonly some: readonly ServiceId[];
}

/** One record of the service as the match index remembers it. */
export interface MatchEntry {
  readonly serviceId: ServiceId;
  /** Rule (its fields joined by a comma) to normalised natural key. */
  readonly keys: Readonly<Record<string, string>>;
}

/** The error of a record whose contents were forgotten on a person's request. */
export const forgottenError: ErrorFacts = {
  code: "E_FORGOTTEN",
  message: "its contents were forgotten at a person's request",
  details: {},
};

/** Whether the record's contents were forgotten and the ERP has not shown a row since. */
export function isForgotten({ unreadable }: { readonly unreadable?: ErrorFacts | undefined }): boolean {
  return unreadable?.code === forgottenError.code;
}

/**
 * Marks a store that is older than the service: restored from a copy, or created again after a loss. It holds `true` until the service has
 * had time to show what was written before.
 */
export const restoredNote: Note<boolean> = { name: "restored", schema: z.boolean() };

/**
 * How many creates were ever begun; absent before the first. The step that begins a create counts it. The number goes back only if the
 * store's files do.
 */
export const createsNote: Note<number> = { name: "creates", schema: z.number() };

/**
 * How many updates and deletions of the service's records were ever begun. The step that journals one counts it, as with creates. A step that
 * changes the journal of a request counts, too.
 */
export const writesNote: Note<number> = { name: "writes", schema: z.number() };

/**
 * Marks a store that does not know the last writes to the service. It holds `true` until the bound records were compared with the service.
 */
export const comparisonNote: Note<boolean> = { name: "restored/compare", schema: z.boolean() };

/** The clock's time when something was last written. */
export const latestNote: Note<number> = { name: "clock/latest", schema: z.number() };
/** Resolution of `latestNote`, in milliseconds: fine enough to notice that the clock was set, and at most two writes a second. */
export const GRAIN_MS = 500;

/** When the store was last proven to be writable. */
export const checkedNote: Note<number> = { name: "store.checkedAt", schema: z.number() };

/** The session that the daemons of one store share. The step that frees the claims of a lost daemon sets its `revoked`. */
export const sessionNoteName = "service/session";

/** A create that a lost daemon had begun, and when the daemon was lost. */
export interface LostCreate extends RecordId {
  readonly lostAt: number;
}

/** Creates that lost daemons had begun: the service may still carry out each of them late, beside another one. */
export const lostCreatesNote: Note<readonly LostCreate[]> = {
  name: "lost-creates",
  isOfNames: true,
  schema: z.array(z.object({ stream: z.string(), key: z.string(), lostAt: z.number() })),
};
