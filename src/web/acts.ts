import type { Actor, Binding, RecordId, ServiceId, StreamName } from "#model";
import type { ProposedBinding } from "#pipeline";

/** What a person may do on the page. Each does what the command of its name does, and rejects as it does. */
export interface PageActs {
  /** One record, or those of a stream that met one error; resolves to how many are due now. */
  retry(target: RecordId | { readonly stream: StreamName; readonly code: string }, by: Actor): Promise<number>;
  /** Leaves a record out until the ERP changes it. */
  skip(id: RecordId, by: Actor): Promise<void>;
  /** Answers an uncertain create: the service does not have it. */
  create(id: RecordId, by: Actor): Promise<void>;
  /** Binds to a record of the service if `isMeant`; shows both sides either way. */
  bind(
    target: { readonly id: RecordId; readonly serviceId: ServiceId; readonly isMeant: boolean },
    by: Actor,
  ): Promise<ProposedBinding & { readonly binding: Binding; readonly isBound: boolean }>;
  unbind(id: RecordId, by: Actor): Promise<void>;
  /** Reads the record from the ERP now. */
  reread(id: RecordId, by: Actor): Promise<void>;
  /** Confirms the deletions that the guard holds, if there are still as many as the person saw. */
  confirmDeletions(target: { readonly stream: StreamName; readonly count: number }, by: Actor): Promise<void>;
  pause(target: { readonly stream: StreamName; readonly hours: number }, by: Actor): Promise<void>;
  resume(stream: StreamName, by: Actor): Promise<void>;
}

export const recordVerbs = ["retry", "skip", "create", "bind", "unbind", "reread"] as const;
export type RecordVerb = (typeof recordVerbs)[number];

export const streamVerbs = ["deletions", "pause", "resume"] as const;
export type StreamVerb = (typeof streamVerbs)[number];

/** Verbs whose effect cannot be taken back: they want a reason and a second yes. */
export const finalVerbs: ReadonlySet<RecordVerb | StreamVerb> = new Set(["create", "unbind", "deletions"]);
