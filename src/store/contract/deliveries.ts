import type { Projection, RecordId, ResourceName } from "#model";
import type { AuditEntry, Claim, Ending, InFlight } from "../claim.ts";
import type { AnnouncedDeletion } from "../facts.ts";

/** What a delivery has found out about an open create. */
export type KnownOfCreate = "absent" | "answered" | "notFound";

/** The steps of one delivery: the claim, the journal entry before each request, and the end. */
export interface DeliveryStore {
  /**
   * Claims the record if it is due now (compare-and-set). Resolves to undefined if another worker has it or nothing is to be done. A claim
   * ends with `end` or when its lease expires.
   */
  claim(id: RecordId): Promise<Claim | undefined>;

  /** Extends the lease of a claim that is still held. */
  renew(claim: Claim): Promise<void>;

  /** Journals a create before its POST. Durable when resolved. @returns how many creates the store has ever begun. */
  begin(claim: Claim, intent: { resource: ResourceName; projection: Projection }): Promise<number>;

  /**
   * Journals an update before its PUT, or a deletion before its DELETE. It is in flight until `unbind` or an `end` with `apply`, `bind`
   * or `remove` ends it. It replaces an earlier one; `undefined` ends it. Durable when resolved.
   * @returns how many such writes the store has ever begun.
   */
  markInFlight(claim: Claim, inFlight: InFlight | undefined): Promise<number>;

  /**
   * Notes what is known of the open create; the claim stays. `absent`: it certainly did not happen, which ends the intent. `answered`: the
   * service carried it out without telling its id, so that it is never repeated. `notFound`: a search did not find its result. The first two
   * are durable when resolved.
   */
  noteCreate(claim: Claim, known: KnownOfCreate): Promise<void>;

  /**
   * Ends the claim, in one transaction with what the ending stores. Whatever the ending, a change staged meanwhile makes the record due at
   * once, without attempts and error. `bind` and `remove` are durable when resolved. If there are hundreds of records to wake, it may wake
   * the first ones in the transaction and the others right after, or when the daemon starts again.
   * @throws {ParkError} E_ALREADY_BOUND when the service id is bound to another record of the resource, E_STORE_VALUE when it is no
   * positive integer.
   * @returns the records that were woken in the transaction.
   */
  end(claim: Claim, ending: Ending): Promise<RecordId[]>;

  /**
   * Notes that the record is about to be deleted in the service, and counts the deletions announced in its stream, up to `limit`. It counts
   * the open ones, and those announced after `since` and carried out; both only if announced after `confirmedAt`. If the record's own
   * deletion was announced no later than `confirmedAt`, the count is 0. The note ends with the ending `remove`, when the ERP shows the record again,
   * and with every step that keeps the service's record. The claim stays.
   */
  announceDeletion(
    claim: Claim,
    query: { since: number; confirmedAt: number; limit: number },
  ): Promise<AnnouncedDeletion>;

  /**
   * Ends a binding whose record no longer exists in the service, forgets what was applied, and removes the record from the match index.
   * The claim stays. Durable when resolved.
   */
  unbind(claim: Claim, audit: AuditEntry): Promise<void>;
}
