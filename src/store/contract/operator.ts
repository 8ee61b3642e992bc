import type { Actor, Binding, Key, RecordId, RecordState, StreamName } from "#model";
import type { AuditRecord } from "../facts.ts";

/** What a person sees and decides. */
export interface OperatorStore {
  /** The latest audit entries, newest first. */
  audit(query: { id?: RecordId; limit: number }): Promise<AuditRecord[]>;

  /**
   * Parked, uncertain, waiting and skipped records become due again, and due ones end their pause; returns how many. Other
   * states are left alone, whatever `states` says. Without `stream` in all streams, without `key` all records. `by` is written into the
   * history of each. One that fails may have made some due.
   */
  retryNow(
    target: { stream?: StreamName | undefined; key?: Key | undefined; states: readonly RecordState[] },
    by?: Actor,
  ): Promise<number>;

  /**
   * Answers a record that is not settled yet: an uncertain create, a parked record, one that waits for its first delivery. `bind`: the record is bound to this id, its intent ends, and it is due so that
   * its fields are sent. `create`: the intent ends, and deliveries are told so until the record is bound. `skip`: the record
   * is left out and its children are woken; its intent stays open, so that its result is looked for first if the ERP
   * changes the record.
   * `unbind`, for a bound record that is not claimed: the binding ends, what was written is forgotten, and deliveries are told
   * so, whatever else happens, until a person binds or creates the record. Durable when resolved.
   * @throws {ParkError} E_RECORD_UNKNOWN, E_NOT_RESOLVABLE (settled or claimed; a create of a bound record, an unbind of one
   * that is not), E_ALREADY_BOUND.
   */
  resolve(
    id: RecordId,
    answer: { kind: "bind"; binding: Binding } | { kind: "create" } | { kind: "skip" } | { kind: "unbind" },
    by?: Actor,
  ): Promise<void>;

  /** Deletions of the stream that were told of and not carried out yet, with up to `limit` of their keys. */
  openDeletions(stream: StreamName, limit: number): Promise<{ count: number; examples: Key[] }>;

  /** How many deletions of the stream `tellDeletion` counts at this moment without a limit; tells of none. */
  deletionCount(stream: StreamName, query: { since: number; confirmedAt: number }): Promise<number>;
}
