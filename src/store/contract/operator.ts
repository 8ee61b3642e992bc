import type { Actor, Binding, Key, RecordId, RecordState, StreamName } from "#model";
import type { AuditRecord } from "../facts.ts";

/** What people see and decide. */
export interface OperatorStore {
  /** The latest audit entries, newest first. */
  audit(query: { id?: RecordId; limit: number }): Promise<AuditRecord[]>;

  /**
   * Makes parked, uncertain, waiting and skipped records due and ends the retry delay of due ones; returns how many. Leaves other states
   * alone, even if `states` lists them. Without `stream`: all streams; without `key`: all records. `by` goes into each record's history. A
   * call that fails may have made some records due.
   */
  retryNow(
    target: { stream?: StreamName | undefined; key?: Key | undefined; states: readonly RecordState[] },
    by?: Actor,
  ): Promise<number>;

  /**
   * Answers a record that is not settled: an uncertain create, a parked record, or one that waits for its first delivery.
   * - `bind`: binds the record to this id, ends its intent and makes it due, so that its fields are sent.
   * - `create`: ends the intent and tells deliveries to create, until the record is bound.
   * - `skip`: skips the record and wakes its children. Its intent stays open: if the ERP changes the record, the next delivery first looks
   * for the result of the create.
   * - `unbind`, for a bound record that is not claimed: ends the binding and forgets what was written. Deliveries know it is unbound until
   * a person binds or creates the record, whatever else happens.
   *
   * Durable when resolved.
   * @throws {ParkError} E_RECORD_UNKNOWN, E_NOT_RESOLVABLE (settled or claimed; a create of a bound record, an unbind of an unbound one),
   * E_ALREADY_BOUND.
   */
  resolve(
    id: RecordId,
    answer: { kind: "bind"; binding: Binding } | { kind: "create" } | { kind: "skip" } | { kind: "unbind" },
    by?: Actor,
  ): Promise<void>;

  /** The stream's announced deletions that were not carried out yet: their number and up to `limit` of their keys. */
  openDeletions(stream: StreamName, limit: number): Promise<{ count: number; examples: Key[] }>;

  /** How many deletions of the stream `announceDeletion` would count now without a limit. Announces none. */
  deletionCount(stream: StreamName, query: { since: number; confirmedAt: number }): Promise<number>;
}
