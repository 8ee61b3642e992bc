import type { Binding, ErrorFacts, Projection, RecordId, ResourceName } from "#model";
import type { Applied, AuditEntry, Claim, InFlight, Parents, Waiting } from "../claim.ts";
import type { ToldDeletion } from "../facts.ts";

/** The steps of one delivery: a claim, what is journalled before each request, and how the delivery ended. */
export interface DeliveryStore {
  /**
   * Takes the record if it is due now (compare-and-set), or resolves to undefined: then another worker has it, or there is
   * nothing to do. A claim ends with one of the steps below, or by its lease.
   */
  claim(id: RecordId): Promise<Claim | undefined>;

  /** Extends the lease of a claim that is still held. */
  renew(claim: Claim): Promise<void>;

  /** Journals a create before its POST. Durable when resolved. @returns how many creates the store has begun in all. */
  begin(claim: Claim, intent: { resource: ResourceName; projection: Projection }): Promise<number>;

  /**
   * Journals an update before its PUT, or a deletion before its DELETE: it is in flight until `apply`, `bind`, `unbind` or
   * `remove` ends it. Replaces what was in flight before; `undefined` ends it. Durable when resolved.
   */
  markInFlight(claim: Claim, inFlight: InFlight | undefined): Promise<void>;

  /** Ends the intent of a claim whose create certainly did not happen; the claim stays. Durable when resolved. */
  abandon(claim: Claim): Promise<void>;

  /** Notes that the service carried the open create out without telling its id: it is never to be repeated. Durable when resolved. */
  answered(claim: Claim): Promise<void>;

  /** Notes that a search did not find the result of an open intent. */
  looked(claim: Claim): Promise<void>;

  /**
   * Binding, applied projection and end of the intent in one transaction; wakes the records that wait for this one. Of hundreds it may
   * wake the first in it, and the others right after, or when the daemon starts again.
   * The record becomes applied; or due again when a newer change was staged, when `applied.again` says so, and when the
   * ERP deleted it, so that the deletion is carried out on what was found.
   * A record bound to another service id before makes the records due whose projection carries the old one; a record whose
   * own projection carries an id that its parent no longer has is due again, here as after `apply`. Durable when resolved.
   * @throws {ParkError} E_ALREADY_BOUND when the service id is bound to another record of the resource, E_STORE_VALUE when
   * it is no positive integer.
   * @returns the records that were woken in the transaction.
   */
  bind(claim: Claim, binding: Binding, applied: Applied): Promise<RecordId[]>;

  /**
   * The record's projection is in the service (or was already). Ends the claim; the record is due again when a newer change
   * was staged meanwhile, as after every step that ends a claim: then at once, without attempts and error.
   */
  apply(claim: Claim, applied: Applied): Promise<void>;

  /** Ends the claim with a later try and counts an attempt. An open intent stays open. */
  retry(claim: Claim, error: ErrorFacts, dueAt: number): Promise<void>;

  /**
   * Ends the claim without counting an attempt. A parent that has been bound since the claim makes it due at once, and
   * so does an optional one that was given up since. Without parents and time only `stage`, `remap` or `retryNow` wakes it.
   */
  wait(claim: Claim, waiting: Waiting): Promise<void>;

  /**
   * Ends the claim; a person (or a new change of the ERP) makes the record due again, and so does one of the `parents` whose
   * ids the delivery used, when it is bound to another id. An open intent stays open.
   */
  park(claim: Claim, error: ErrorFacts, more?: { audit?: AuditEntry; parents?: Parents }): Promise<void>;

  /** Like `park`, for a create whose result cannot be known: only `resolve` or a look that succeeds ends it. */
  uncertain(claim: Claim, error: ErrorFacts): Promise<void>;

  /** The stream's rules leave this record out: E_SKIPPED with the reason. Ends the claim; a binding stays; wakes its children. */
  skip(claim: Claim, reason: string): Promise<void>;

  /**
   * Notes that the record is to be deleted in the service too, and counts the deletions of its stream, up to `limit`: those that are
   * open, and those told of after `since` that were carried out; in either case only those told of after `confirmedAt`. Nothing is
   * counted for one that was told of earlier itself.
   * The note ends with `remove`, when the ERP shows the record again, and with every step that leaves it standing. The claim stays.
   */
  tellDeletion(claim: Claim, query: { since: number; confirmedAt: number; limit: number }): Promise<ToldDeletion>;

  /**
   * The ERP's deletion is carried out. `unbind`: the service's record is gone too, so the binding ends; otherwise it is
   * kept for a record that comes back, with `applied` as what was last written and `inFlight` as what is not certain of it.
   * Wakes the children that wait for the record: a reference may be optional. Durable when resolved.
   */
  remove(
    claim: Claim,
    removal: { unbind: boolean; applied?: Projection; inFlight?: InFlight | undefined; audit?: AuditEntry },
  ): Promise<void>;

  /** The binding's record no longer exists in the service: ends the binding, forgets what was applied; the claim stays. Durable when resolved. */
  unbind(claim: Claim, audit: AuditEntry): Promise<void>;

  /** Gives a claim back untouched, for a clean stop. */
  release(claim: Claim): Promise<void>;
}
