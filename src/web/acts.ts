import type { Actor, Binding, RecordId, ServiceId, StreamName } from "#model";
import type { ChannelTest } from "#notify";
import type { ProposedBinding } from "#pipeline";

/** What a person may do on the page. Each act equals the command of the same name, and fails in the same way. */
export interface PageActs {
  /** Resolves to how many records are due now. */
  retry(id: RecordId, by: Actor): Promise<number>;
  /** The same for the records of one cause, by the id of the group. */
  retryGroup(group: string, by: Actor): Promise<number>;
  /** Saves a note, an owner or a snooze of a group. Values that are not given stay; a snooze of 0 hours ends it. */
  noteGroup(target: PageGroupNote, by: Actor): Promise<void>;
  /** Leaves a record out until the ERP changes it. */
  skip(id: RecordId, by: Actor): Promise<void>;
  /**
   * Answers an uncertain create: the service does not have the record. `begunAt` identifies the create that the person
   * means.
   */
  create(target: { readonly id: RecordId; readonly begunAt?: number | "none" | undefined }, by: Actor): Promise<void>;
  /** Binds to a record of the service if `isMeant`; returns both sides in any case. */
  bind(
    target: { readonly id: RecordId; readonly serviceId: ServiceId; readonly isMeant: boolean },
    by: Actor,
  ): Promise<ProposedBinding & { readonly binding: Binding; readonly isBound: boolean }>;
  /** With `serviceId`, only a binding to that record. */
  unbind(target: { readonly id: RecordId; readonly serviceId?: ServiceId | undefined }, by: Actor): Promise<void>;
  /** Overwrites the stored contents; key and binding stay. */
  forget(id: RecordId, by: Actor): Promise<void>;
  /** Keeps the record's requests and answers for this many minutes. */
  watch(target: { readonly id: RecordId; readonly minutes: number }, by: Actor): Promise<void>;
  /** Reads the record from the ERP now. */
  reread(id: RecordId, by: Actor): Promise<void>;
  /** Confirms the deletions that the guard holds, if there are still as many as the person saw. */
  confirmDeletions(target: { readonly stream: StreamName; readonly count: number }, by: Actor): Promise<void>;
  /** Settles a refused file: its rows are not needed, or were delivered in another file. */
  settleFile(target: { readonly stream: StreamName; readonly name: string }, by: Actor): Promise<void>;
  /** Releases a changed mapping that the guard holds, if this is still its plan. Resolves to the number of updates. */
  confirmPlan(target: { readonly stream: StreamName; readonly plan: string }, by: Actor): Promise<number>;
  /** Starts comparing the ERP's records with the service's, to prepare a decision about held streams. Only reads. */
  compareAdoption(): Promise<void>;
  /** Releases a stream that waits for a decision about existing records. */
  adopt(target: { readonly stream: StreamName; readonly decision: "adopt" | "create-all" }, by: Actor): Promise<void>;
  /** `polls`: also stops polling. A longer pause stays. */
  pause(
    target: { readonly stream: StreamName; readonly hours: number; readonly polls: boolean },
    by: Actor,
  ): Promise<void>;
  /** Polls the stream now. */
  poll(stream: StreamName, by: Actor): Promise<void>;
  /** Makes the next poll read the stream from its beginning. */
  rereadStream(stream: StreamName, by: Actor): Promise<void>;
  resume(stream: StreamName, by: Actor): Promise<void>;
  /** Sends a test message through every channel; empty where none is set up. */
  testChannels(by: Actor): Promise<readonly ChannelTest[]>;
}

/** A person's note about a group. */
export interface PageGroupNote {
  readonly group: string;
  readonly note?: string;
  readonly owner?: string;
  readonly snoozeHours?: number;
  /** Saves only if no note was written since then. */
  readonly notedAt?: number | "none";
}

export const recordVerbs = ["retry", "skip", "create", "bind", "unbind", "reread", "watch", "forget"] as const;
export type RecordVerb = (typeof recordVerbs)[number];

export const streamVerbs = ["deletions", "files", "plan", "adopt", "pause", "resume", "reread", "poll"] as const;
export type StreamVerb = (typeof streamVerbs)[number];

/** Acts that cannot simply be undone: they need a reason and a confirmation. */
export const finalVerbs: ReadonlySet<RecordVerb | StreamVerb> = new Set([
  "create",
  "unbind",
  "forget",
  "deletions",
  "files",
  "plan",
  "adopt",
]);
