import type { Projection, RecordId, ResourceName, ServiceId, StreamName } from "#model";
import type { AuditEntry } from "../claim.ts";
import type { Adoption, MatchEntry, UnseenMatches } from "../facts.ts";

/** What svcsync knows about the service: natural keys, adoption decisions, and differences from what was written. */
export interface MatchStore {
  /** Stores the adoption decision; undefined forgets an earlier one. */
  decideAdoption(stream: StreamName, decision: Adoption["decision"] | undefined): Promise<void>;

  /**
   * Stores that the service differs from what was last written: puts these fields in doubt and makes the record due. Resolves to false and
   * changes nothing unless the record is applied and bound. `audit` describes the finding. Durable when resolved.
   *
   * With `anyState`, a bound record that is due, waits, is parked or left out keeps its state, and its next write sends these fields. It
   * changes nothing if a request may be in flight.
   */
  recheck(id: RecordId, fields: Projection, audit?: AuditEntry, more?: { anyState: boolean }): Promise<boolean>;

  /**
   * Begins a whole read of the resource. Everything known before stays until `endMatches`, and so do the ids of bound records: readers of
   * the index never see half a read. A command may begin a read while a daemon's is running: each then ends its own.
   * @returns the number of this read.
   */
  beginMatches(resource: ResourceName): Promise<number>;

  /**
   * Adds records of the service, or replaces their keys. With `rules`, only the keys of these rules: a command whose sync file has other
   * rules takes no key from the daemon beside it.
   */
  saveMatches(resource: ResourceName, entries: readonly MatchEntry[], rules?: readonly string[]): Promise<void>;

  /** Known records that neither this whole read nor a later one has shown yet. Without `reading`, the last one that began. */
  unseenMatches(resource: ResourceName, limit: number, reading?: number): Promise<UnseenMatches>;

  /**
   * Ends a read and stamps the index with `readAt`. `whole`: forgets the records that neither this read nor a later one has shown.
   * Without `reading`, the last one that began.
   */
  endMatches(resource: ResourceName, read: { whole: boolean; readAt: number; reading?: number }): Promise<void>;

  /** When the last complete read of the resource's match index ended, and whether the resource was empty. */
  matchIndex(resource: ResourceName): Promise<{ readAt: number; isEmpty: boolean } | undefined>;

  /** How many records of the index are not bound to a record of the ERP. */
  unboundMatches(resource: ResourceName): Promise<number>;

  /** The service ids whose normalised natural key under `rule` is `key`. */
  matches(resource: ResourceName, rule: string, key: string): Promise<ServiceId[]>;

  /** The natural keys under which the index lists a record; none of a record that it does not know. */
  matchKeys(resource: ResourceName, serviceId: ServiceId): Promise<MatchEntry["keys"]>;
}
