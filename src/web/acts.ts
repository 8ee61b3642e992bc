import type { Actor, Binding, RecordId, ServiceId, StreamName } from "#model";
import type { ChannelTest } from "#notify";
import type { ProposedBinding } from "#pipeline";

/** What a person may do on the page. Each does what the command of its name does, and rejects as it does. */
export interface PageActs {
  /** Resolves to how many records are due now. */
  retry(id: RecordId, by: Actor): Promise<number>;
  /** The same for the records of one cause, by the id of their group. */
  retryGroup(group: string, by: Actor): Promise<number>;
  /** Writes down a note, an owner or a snooze of a group; what is not given stays. A snooze of 0 hours ends one. */
  noteGroup(target: PageGroupNote, by: Actor): Promise<void>;
  /** Leaves a record out until the ERP changes it. */
  skip(id: RecordId, by: Actor): Promise<void>;
  /** Answers an uncertain create: the service does not have it. With `begunAt` the create that began then, or that none had. */
  create(target: { readonly id: RecordId; readonly begunAt?: number | "none" | undefined }, by: Actor): Promise<void>;
  /** Binds to a record of the service if `isMeant`; shows both sides either way. */
  bind(
    target: { readonly id: RecordId; readonly serviceId: ServiceId; readonly isMeant: boolean },
    by: Actor,
  ): Promise<ProposedBinding & { readonly binding: Binding; readonly isBound: boolean }>;
  /** With `serviceId` only if it is bound to that one. */
  unbind(target: { readonly id: RecordId; readonly serviceId?: ServiceId | undefined }, by: Actor): Promise<void>;
  /** Overwrites what is kept of its contents; key and binding stay. */
  forget(id: RecordId, by: Actor): Promise<void>;
  /** Keeps its requests and answers for so many minutes. */
  watch(target: { readonly id: RecordId; readonly minutes: number }, by: Actor): Promise<void>;
  /** Reads the record from the ERP now. */
  reread(id: RecordId, by: Actor): Promise<void>;
  /** Confirms the deletions that the guard holds, if there are still as many as the person saw. */
  confirmDeletions(target: { readonly stream: StreamName; readonly count: number }, by: Actor): Promise<void>;
  /** Lets a changed mapping through that the guard holds, if this is still its plan. Resolves to how many updates. */
  confirmPlan(target: { readonly stream: StreamName; readonly plan: string }, by: Actor): Promise<number>;
  /** Begins to compare the ERP's records with the service's, to decide about held streams. Reads only. */
  compareAdoption(): Promise<void>;
  /** Releases a stream that waits for a decision about existing records. */
  adopt(target: { readonly stream: StreamName; readonly decision: "adopt" | "create-all" }, by: Actor): Promise<void>;
  /** `polls`: the stream is not polled either. A pause that lasts longer stays. */
  pause(
    target: { readonly stream: StreamName; readonly hours: number; readonly polls: boolean },
    by: Actor,
  ): Promise<void>;
  /** Polls the stream now. */
  poll(stream: StreamName, by: Actor): Promise<void>;
  /** Lets the next poll read the stream from its beginning. */
  rereadStream(stream: StreamName, by: Actor): Promise<void>;
  resume(stream: StreamName, by: Actor): Promise<void>;
  /** Sends a test message through every channel; empty where none is set up. */
  testChannels(by: Actor): Promise<readonly ChannelTest[]>;
}

/** What a person writes down about a group. */
export interface PageGroupNote {
  readonly group: string;
  readonly note?: string;
  readonly owner?: string;
  readonly snoozeHours?: number;
  /** Only if nothing was written down since what was then. */
  readonly notedAt?: number | "none";
}

export const recordVerbs = ["retry", "skip", "create", "bind", "unbind", "reread", "watch", "forget"] as const;
export type RecordVerb = (typeof recordVerbs)[number];

export const streamVerbs = ["deletions", "plan", "adopt", "pause", "resume", "reread", "poll"] as const;
export type StreamVerb = (typeof streamVerbs)[number];

/** Acts that cannot simply be undone: they need a reason and a confirmation. */
export const finalVerbs: ReadonlySet<RecordVerb | StreamVerb> = new Set([
  "create",
  "unbind",
  "forget",
  "deletions",
  "plan",
  "adopt",
]);
