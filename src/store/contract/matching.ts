import type { Projection, RecordId, ResourceName, ServiceId, StreamName } from "#model";
import type { AuditEntry } from "../claim.ts";
import type { Adoption, MatchEntry, UnseenMatches } from "../facts.ts";

/** What the service holds: its natural keys, what was decided of them, and where it differs from what was written. */
export interface MatchStore {
  adoption(stream: StreamName): Promise<Adoption | undefined>;

  /** Without a decision, an earlier one is forgotten. */
  decideAdoption(stream: StreamName, decision: Adoption["decision"] | undefined): Promise<void>;

  /**
   * The service was found to differ from what was last written: these fields are in doubt and the record is due.
   * Resolves to false and changes nothing unless the record is applied and bound. `audit` states what was found. Durable when
   * resolved.
   */
  recheck(id: RecordId, fields: Projection, audit?: AuditEntry): Promise<boolean>;

  /**
   * A whole read of the resource begins. What was known, and what records are bound to, stays until `endMatches`: a reader
   * of the index never sees half of it.
   */
  beginMatches(resource: ResourceName): Promise<void>;

  /** Adds records of the service, or replaces their keys. */
  saveMatches(resource: ResourceName, entries: readonly MatchEntry[]): Promise<void>;

  /** What the whole read that runs has not shown yet. */
  unseenMatches(resource: ResourceName, limit: number): Promise<UnseenMatches>;

  /** A read is complete: stamps the index with `readAt`. `whole`: forgets what the read did not show. */
  endMatches(resource: ResourceName, read: { whole: boolean; readAt: number }): Promise<void>;

  /** When the resource's match index was last read to its end, and whether the resource was empty then. */
  matchIndex(resource: ResourceName): Promise<{ readAt: number; isEmpty: boolean } | undefined>;

  /** How many records of the index no record of the ERP is bound to. */
  unboundMatches(resource: ResourceName): Promise<number>;

  /** The service ids whose normalised natural key under `rule` is `key`. */
  matches(resource: ResourceName, rule: string, key: string): Promise<ServiceId[]>;
}
