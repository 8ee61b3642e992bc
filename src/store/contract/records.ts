import type { Binding, RecordId, RecordState, ResourceName, ServiceId, StreamName } from "#model";
import type { RecordView } from "../facts.ts";

/** Selects records; `unbound`: only those without a binding. */
export interface RecordQuery {
  readonly stream?: StreamName | undefined;
  readonly states?: readonly RecordState[];
  readonly unbound?: true;
  readonly after?: RecordId | undefined;
  readonly limit: number;
}

/**
 * `bound`: those that are bound and not deleted, for which a parent's deletion waits; no record is its own child. `waiting`: those that wait
 * for the record. `dependent`: those that become due when it is bound, because their projection carries no id of it, or another one.
 */
export type ChildrenKind = "bound" | "waiting" | "dependent";

/** What is known about records: state, binding, and which records wait for which. */
export interface RecordStore {
  record(id: RecordId): Promise<RecordView | undefined>;

  /** Records in key order after `after`, for lists and exports. */
  records(query: RecordQuery): Promise<RecordView[]>;

  /**
   * The number of records per stream and state; states without records are absent. Counting all states costs up to a tenth of a second per
   * million records; with `states`, only their records count. A large store is counted in parts, so the parts may stem from slightly
   * different moments.
   */
  counts(states?: readonly RecordState[]): Promise<Map<StreamName, Partial<Record<RecordState, number>>>>;

  /** The bindings of these records, by {@link recordName}; unbound ones are absent. */
  bindings(ids: readonly RecordId[]): Promise<ReadonlyMap<string, Binding>>;

  /** Children of a record, in no particular order. Very many are found in parts, which may stem from slightly different moments. */
  children(id: RecordId, which: ChildrenKind): Promise<RecordId[]>;

  /** Up to `limit` of the resource's service ids that records are bound to, highest first: these were created last. */
  boundIds(resource: ResourceName, limit: number): Promise<ServiceId[]>;

  /** The record that is bound to this id of the service. */
  boundTo(binding: Binding): Promise<RecordId | undefined>;
}
