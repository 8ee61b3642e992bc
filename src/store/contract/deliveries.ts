import type { Binding, ErrorFacts, Projection, RecordId, ResourceName } from "#model";
import type { Applied, AuditEntry, Claim, InFlight, Parents, Waiting } from "../claim.ts";
import type { AnnouncedDeletion } from "../facts.ts";
import type { LeftOutCode } from "../refusals.ts";

/** The steps of one delivery: the claim, the journal entry before each request, and the end. */
export interface DeliveryStore {
  /**
   * Claims the record if it is due now (compare-and-set). Resolves to undefined if another worker has it or nothing is to be done. A claim
   * ends with one of the steps below or when its lease expires.
   */
  claim(id: RecordId): Promise<Claim | undefined>;

  /** Extends the lease of a claim that is still held. */
  renew(claim: Claim): Promise<void>;

  /** Journals a create before its POST. Durable when resolved. @returns how many creates the store has ever begun. */
  begin(claim: Claim, intent: { resource: ResourceName; projection: Projection }): Promise<number>;

  /**
   * Journals an update before its PUT, or a deletion before its DELETE. It is in flight until `apply`, `bind`, `unbind` or `remove` ends
   * it. It replaces an earlier one; `undefined` ends it. Durable when resolved.
   * @returns how many such writes the store has ever begun.
   */
  markInFlight(claim: Claim, inFlight: InFlight | undefined): Promise<number>;

  /** Ends an intent whose create certainly did not happen; the claim stays. Durable when resolved. */
  abandon(claim: Claim): Promise<void>;

  /** Notes that the service carried out the open create without telling its id, so that it is never repeated. Durable when resolved. */
  answered(claim: Claim): Promise<void>;

  /** Notes that a search did not find the result of an open intent. */
  looked(claim: Claim): Promise<void>;

  /**
   * Stores the binding and the applied projection and ends the intent in one transaction. Wakes the records that wait for this one. If
   * there are hundreds, it may wake the first ones in the transaction and the others right after, or when the daemon starts again. The
   * record becomes applied. It becomes due again if a newer change was staged, if `applied.again` is set, or if the ERP deleted it: then
   * the record that was found is deleted next. If the record was bound to another service id before, the records whose projection carries
   * the old id become due. If its own projection carries an id that a parent no longer has, the record itself is due again; `apply` does
   * the same. Durable when resolved.
   * @throws {ParkError} E_ALREADY_BOUND when the service id is bound to another record of the resource, E_STORE_VALUE when it is no
   * positive integer.
   * @returns the records that were woken in the transaction.
   */
  bind(claim: Claim, binding: Binding, applied: Applied): Promise<RecordId[]>;

  /**
   * Stores that the service holds the record's projection, and ends the claim. As after every step that ends a claim, a change staged
   * meanwhile makes the record due at once, without attempts and error.
   */
  apply(claim: Claim, applied: Applied): Promise<void>;

  /**
   * Ends the claim, schedules a retry and counts an attempt. An open intent stays open. `audit` describes the attempt; the audit trail keeps
   * the latest ten attempts of a record.
   */
  retry(claim: Claim, error: ErrorFacts, dueAt: number, audit?: AuditEntry): Promise<void>;

  /**
   * Ends the claim without counting an attempt. The record is due at once if a parent was bound, or an optional parent was deleted or
   * skipped, since the claim. Without parents and due time, only `stage`, `remap` or `retryNow` wakes it.
   */
  wait(claim: Claim, waiting: Waiting): Promise<void>;

  /**
   * Ends the claim. A person or a new change in the ERP makes the record due again. So does binding one of `parents`, whose ids the
   * delivery used, to another id. An open intent stays open.
   */
  park(claim: Claim, error: ErrorFacts, more?: { audit?: AuditEntry; parents?: Parents }): Promise<void>;

  /** Like `park`, for a create whose result cannot be known. Only `resolve` or a successful search ends this state. */
  uncertain(claim: Claim, error: ErrorFacts): Promise<void>;

  /**
   * Skips a record that the stream's rules leave out (E_SKIPPED with the reason), or that the service does not have (E_CREATE_NEVER). Ends
   * the claim, keeps a binding and wakes the children.
   */
  skip(claim: Claim, reason: string, code?: LeftOutCode): Promise<void>;

  /**
   * Notes that the record is about to be deleted in the service, and counts the deletions announced in its stream, up to `limit`. It counts
   * the open ones, and those announced after `since` and carried out; both only if announced after `confirmedAt`. If the record's own
   * deletion was announced no later than `confirmedAt`, the count is 0. The note ends with `remove`, when the ERP shows the record again,
   * and with every step that keeps the service's record. The claim stays.
   */
  announceDeletion(
    claim: Claim,
    query: { since: number; confirmedAt: number; limit: number },
  ): Promise<AnnouncedDeletion>;

  /**
   * Stores that the ERP's deletion was carried out. `unbind` ends the binding and removes the record from the match index, because the
   * service's record is gone too. Otherwise the binding is kept for a record that comes back, with `applied` as what was last written and
   * `inFlight` as what is in doubt. Wakes the children that wait for the record: their reference may be optional. Durable when resolved.
   */
  remove(
    claim: Claim,
    removal: { unbind: boolean; applied?: Projection; inFlight?: InFlight | undefined; audit?: AuditEntry },
  ): Promise<void>;

  /**
   * Ends a binding whose record no longer exists in the service, forgets what was applied, and removes the record from the match index.
   * The claim stays. Durable when resolved.
   */
  unbind(claim: Claim, audit: AuditEntry): Promise<void>;

  /** Gives a claim back unchanged, for a clean stop. */
  release(claim: Claim): Promise<void>;
}
