import type { Binding, RecordId, RecordState, ResourceName, ServiceId, StreamName } from "#model";
import type { RecordView } from "../facts.ts";

/** Which records are asked for; `unbound`: only those without a binding. */
export interface RecordQuery {
  readonly stream?: StreamName | undefined;
  readonly states?: readonly RecordState[];
  readonly unbound?: true;
  readonly after?: RecordId | undefined;
  readonly limit: number;
}

/** What is known about records: their state, what they are bound to, who waits for whom. */
export interface RecordStore {
  record(id: RecordId): Promise<RecordView | undefined>;

  /** Records in key order after `after`, for lists and exports. */
  records(query: RecordQuery): Promise<RecordView[]>;

  /**
   * Records per stream and state; states without records are absent. All states cost up to a tenth of a second per million
   * records, `states` alone what these have. Of a large store each part is told as it was when it was counted.
   */
  counts(states?: readonly RecordState[]): Promise<Map<StreamName, Partial<Record<RecordState, number>>>>;

  /** The bindings of these records, by {@link recordName}; unbound ones are absent. */
  bindings(ids: readonly RecordId[]): Promise<ReadonlyMap<string, Binding>>;

  /** Records that become due when this one is bound, since their projection carries no id of it, or another one. */
  dependents(id: RecordId): Promise<RecordId[]>;

  /** Bound children of a record that are not deleted, in no certain order: a parent's deletion waits for them. */
  boundChildren(id: RecordId): Promise<RecordId[]>;

  /** Up to `limit` ids of the resource that records are bound to, the highest first: those were made last. */
  boundIds(resource: ResourceName, limit: number): Promise<ServiceId[]>;

  /** The record that is bound to this id of the service. */
  boundTo(binding: Binding): Promise<RecordId | undefined>;
}
