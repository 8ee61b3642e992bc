import type { Stream } from "#mapping";
import type { Binding, Projection, RecordId, ServiceId } from "#model";
import type { Claim, IntakeStore, RecordStore, RecordView } from "#store";
import type { Edited } from "../wanted/difference.ts";
import type { Resolver, Wanted } from "../wanted/resolver.ts";
import type { Found } from "../match/candidates.ts";

/** What is known about a record before its delivery does anything. A plan knows the same. */
export type Deliverable = Pick<Claim, "id" | "row" | "deleted" | "binding" | "intent" | "applied" | "decision"> &
  Partial<Pick<Claim, "unreadable" | "inFlight">>;

export type Bound<R extends Deliverable> = R & { readonly binding: Binding };

/** What others need to know about a record: the store's view of it, or what a plan says that it will be. */
export type KnownRecord = Pick<RecordView, "state" | "applied" | "deleted" | "binding">;

/**
 * What a decision may ask. Reads only. A delivery asks the store and the service (live), a plan the store and what it has decided about other
 * records (planned), a comparison before the first run the store and the match index that it has just read (surveyed).
 */
export interface Knowledge<R extends Deliverable> extends Pick<RecordStore, "boundTo"> {
  readonly resolver: Resolver;
  /** Told what the record should be, before anything about it is decided. */
  noteWanted?(wanted: Wanted): void;
  /** Another record, as it is when this one is delivered. */
  record(id: RecordId): Promise<KnownRecord | undefined>;
  /** Another record, as it is now. */
  recordNow(id: RecordId): Promise<KnownRecord | undefined>;
  cursor: IntakeStore["stream"];
  /**
   * Records of the service with the natural key of `wanted`. With `mayCreate`, other records with the key wait until it is decided what becomes
   * of this one.
   * @throws {WaitError} E_MATCH_TAKEN while another record with the key is being created.
   */
  match(record: R, stream: Stream, wanted: Wanted, mayCreate: boolean, signal: AbortSignal): Promise<Found>;
  /** Told that the record is to be created: later records with its natural key are not. */
  noteCreate?(record: R, stream: Stream, wanted: Projection): void;
  /** The record of the service that this one was merged into, as far as it was noticed. */
  mergedTo(binding: Binding): Promise<ServiceId | undefined>;
  /** The same for a record that is to be deleted, as exactly as it can be known. */
  mergedNow(binding: Binding, signal: AbortSignal): Promise<ServiceId | undefined>;
  /** The record of the service whose merge led to the one that this record is bound to, unless that one is gone. */
  mergedBefore(record: Bound<R>, signal: AbortSignal): Promise<ServiceId | undefined>;
  /** What the update of a record that was written before has to send; undefined if the service does not have it any more. */
  edited(record: Bound<R>, last: Projection, wanted: Wanted, signal: AbortSignal): Promise<Edited | undefined>;
  /** @throws {WaitError} as the deletion guard decides. */
  expectAllowed?(record: Bound<R>): Promise<void>;
  /** @throws {WaitError} E_CHILDREN_FIRST while the record to be deleted has children. */
  expectChildless(record: Bound<R>, signal: AbortSignal): Promise<void>;
}
