import type {
  Binding,
  Change,
  Cursor,
  ErrorFacts,
  Json,
  Key,
  Outcome,
  Projection,
  RecordId,
  RecordState,
  ResourceName,
  Row,
  ServiceId,
  StreamName,
} from "#model";

/** A record that one worker holds. Every step names it; a step with a claim that was lost fails with E_CLAIM_LOST. */
export interface Claim {
  readonly id: RecordId;
  /** Random per claim: the fencing token. */
  readonly token: string;
  /** The version that is being delivered; a newer change may be staged meanwhile and makes the record due again. */
  readonly sequence: number;
  readonly row: Row;
  /** The ERP said that the record is gone (`row` is the last one seen). */
  readonly deleted: boolean;
  /** Deliveries that failed since the last real change. */
  readonly attempts: number;
  readonly binding: Binding | undefined;
  /** What was last written to the service, or undefined before the first write. */
  readonly applied: Projection | undefined;
  /**
   * Fields whose value in the service is not known, because an update that carried them has not been seen to end: they
   * are sent again whatever `applied` says. For an array: every id that may be in it because of us.
   */
  readonly doubts: Projection | undefined;
  /** A create that was begun and whose end is not known. */
  readonly intent: Intent | undefined;
  /** An operator's answer that this delivery carries out. */
  readonly decision: Decision | undefined;
}

export interface Intent {
  readonly resource: ResourceName;
  readonly projection: Projection;
  readonly begunAt: number;
  /** How often the service was searched for the result in vain, and when first: an index may lag. */
  readonly looks: number;
  readonly firstLookAt: number | undefined;
}

/** What `svcsync resolve` answered. `create`: it is certain that nothing was created, go on with a new create. */
export type Decision = { readonly kind: "create" };

/** One write to the service, or one step of a record's life that a person may ask about. Never a secret. */
export interface AuditEntry {
  readonly action: "create" | "update" | "delete" | "adopt" | "settle" | "resolve" | "repair" | "dropped";
  readonly resource: ResourceName;
  readonly serviceId?: ServiceId | undefined;
  readonly before?: Json | undefined;
  readonly after?: Json | undefined;
  readonly outcome: string;
  readonly status?: number | undefined;
  readonly durationMs?: number | undefined;
}

export interface AuditRecord extends AuditEntry {
  readonly at: number;
  readonly id: RecordId;
}

export interface StageResult {
  /** Rows that are new or really changed and are now due. */
  readonly changed: number;
  /** Rows dropped because their content hash is what the store has. */
  readonly unchanged: number;
}

/** The facts of polls: what `status` shows. */
export interface CursorState {
  readonly cursor: Cursor | null;
  readonly polledAt: number | undefined;
  /** When a poll last reached the end of its window. */
  readonly completedAt: number | undefined;
  readonly rowsRead: number;
  readonly error: (ErrorFacts & { readonly at: number }) | undefined;
  /** True until one poll from the beginning has reached its end. */
  readonly firstLoad: boolean;
}

/** One record's row as people and commands see it. */
export interface RecordView {
  readonly id: RecordId;
  readonly state: RecordState;
  readonly row: Row;
  readonly deleted: boolean;
  readonly sequence: number;
  readonly appliedSequence: number | undefined;
  readonly attempts: number;
  readonly dueAt: number | undefined;
  readonly changedAt: number;
  readonly error: ErrorFacts | undefined;
  readonly binding: Binding | undefined;
  readonly applied: Projection | undefined;
  readonly intent: Intent | undefined;
  readonly waitsFor: readonly RecordId[];
}

export interface DueRecord {
  readonly id: RecordId;
  readonly backfill: boolean;
}

/** What a delivery used: the parents whose service ids are in the projection. Kept to wake and to order deletions. */
export type Parents = readonly RecordId[];

export interface Applied {
  readonly projection: Projection;
  readonly outcome: Outcome;
  readonly parents: Parents;
  /** Absent when no request was made. */
  readonly audit?: AuditEntry | undefined;
  /** True when `projection` is what the service has but not yet what the row says (an adopted or settled record): due again at once. */
  readonly again?: boolean;
}

/** Why and until when a record waits without an attempt being counted. */
export interface Waiting {
  readonly error: ErrorFacts;
  /** Woken in the transaction that binds one of them. */
  readonly parents?: Parents;
  /** Due again at this moment; undefined: only an event wakes it. */
  readonly dueAt?: number | undefined;
}

/** How far the first run of a stream into its resource has been decided. */
export interface Adoption {
  readonly decision: "empty" | "adopt" | "create-all";
  readonly at: number;
}

/** One record of the service as the match index remembers it. */
export interface MatchEntry {
  readonly serviceId: ServiceId;
  /** Rule (its fields joined by a comma) to normalised natural key. */
  readonly keys: Readonly<Record<string, string>>;
}

/**
 * The truth. Async and coarse: one method = one transaction = one step of the story, so that it can be kept on a server
 * database too. Methods reject with a StopError (E_STORE_FULL, E_STORE_READONLY, E_STORE_CORRUPT, E_STORE_FAILED) when
 * the disk does: nothing was then recorded, and nothing may be sent.
 * What a method promises is durable when its promise resolves: `begin`, `bind` and everything that ends an intent
 * survive a power cut; the others at least a kill -9.
 */
export interface Store extends AsyncDisposable {
  // ── polling ─────────────────────────────────────────────────────────────────────────────────────────────────────

  cursor(stream: StreamName): Promise<CursorState>;

  /**
   * Stores changes and cursor together. A row whose content hash is what the store has is dropped; a real change gets
   * the stream's next sequence, resets attempts and makes the record due, except one that is claimed: its worker makes
   * it due when it is done. Two changes of one key in a batch: the later one wins. A deletion of an unknown key is dropped.
   * `backfill` marks records of a first load, which live changes overtake.
   */
  stage(
    stream: StreamName,
    batch: { changes: readonly Change[]; cursor: Cursor; backfill: boolean; complete: boolean },
  ): Promise<StageResult>;

  /** Notes that a poll failed; the cursor stays. Cleared by the next `stage`. */
  pollFailed(stream: StreamName, error: ErrorFacts): Promise<void>;

  /** Forgets the cursor, so that the next poll reads everything again (rows that did not change fall out by hash). */
  resetCursor(stream: StreamName): Promise<void>;

  /**
   * Makes every record of the stream due when `fingerprint` differs from the one stored, and stores it.
   * Returns how many. The first fingerprint of a stream makes nothing due.
   */
  remap(stream: StreamName, fingerprint: string): Promise<number>;

  // ── delivery ────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Up to `limit` records whose time has come: due or retry time reached, or a claim whose lease ran out.
   * Live changes first, then by due time. `streams` restricts (a stream on hold is left out).
   */
  due(query: { limit: number; streams: readonly StreamName[] }): Promise<DueRecord[]>;

  /** The earliest moment at which something becomes due, or undefined. */
  nextDueAt(streams: readonly StreamName[]): Promise<number | undefined>;

  /**
   * Takes the record if it is due now (compare-and-set), or resolves to undefined: then somebody else has it, or there is
   * nothing to do. A claim ends with one of the steps below, or by its lease.
   */
  claim(id: RecordId): Promise<Claim | undefined>;

  /** Extends the lease of a claim that is still held. */
  renew(claim: Claim): Promise<void>;

  /** The bindings of these records, by {@link recordName}; unbound ones are absent. */
  bindings(ids: readonly RecordId[]): Promise<ReadonlyMap<string, Binding>>;

  /** Journals a create before its POST. Durable when resolved. */
  begin(claim: Claim, intent: { resource: ResourceName; projection: Projection }): Promise<void>;

  /**
   * Journals an update before its PUT: these fields are in doubt until `apply`, `bind` or `unbind` clears them all.
   * Replaces earlier doubts. Durable when resolved.
   */
  doubt(claim: Claim, doubts: Projection): Promise<void>;

  /** Ends the intent of a claim whose create certainly did not happen; the claim stays. */
  abandon(claim: Claim): Promise<void>;

  /** Notes that the result of an open intent was looked for in vain. */
  looked(claim: Claim): Promise<void>;

  /**
   * Binding, applied projection and end of the intent in one transaction; wakes the records that wait for this one.
   * The record becomes applied, or due again when a newer change was staged.
   * A record bound to another service id before makes the records due whose projection carries the old one.
   * @throws {ParkError} E_ALREADY_BOUND when the service id is bound to another record of the resource.
   * @returns the records that were woken.
   */
  bind(claim: Claim, binding: Binding, applied: Applied): Promise<RecordId[]>;

  /** The record's projection is in the service (or was already). Ends the claim. */
  apply(claim: Claim, applied: Applied): Promise<void>;

  /** Ends the claim with a later try and counts an attempt. An open intent stays open. */
  retry(claim: Claim, error: ErrorFacts, dueAt: number): Promise<void>;

  /**
   * Ends the claim without counting an attempt. Parents that have been bound since the claim make it due at once.
   */
  wait(claim: Claim, waiting: Waiting): Promise<void>;

  /** Ends the claim; a person (or a new change of the ERP) makes the record due again. An open intent stays open. */
  park(claim: Claim, error: ErrorFacts, audit?: AuditEntry): Promise<void>;

  /** Like `park`, for a create whose result cannot be known: only `resolve` or a look that succeeds ends it. */
  uncertain(claim: Claim, error: ErrorFacts): Promise<void>;

  /** The stream's rules leave this record out. Ends the claim; a binding stays. */
  skip(claim: Claim, reason: string): Promise<void>;

  /**
   * The ERP's deletion is carried out. `unbind`: the service's record is gone too, so the binding ends; otherwise it is
   * kept for a record that comes back.
   */
  remove(claim: Claim, removal: { unbind: boolean; applied?: Projection; audit?: AuditEntry }): Promise<void>;

  /** The binding's record no longer exists in the service: ends the binding, forgets what was applied; the claim stays. */
  unbind(claim: Claim, audit: AuditEntry): Promise<void>;

  /** Gives a claim back untouched, for a clean stop. */
  release(claim: Claim): Promise<void>;

  /** Bound children of a record that are not deleted: a parent's deletion waits for them. */
  boundChildren(id: RecordId): Promise<RecordId[]>;

  // ── people ──────────────────────────────────────────────────────────────────────────────────────────────────────

  record(id: RecordId): Promise<RecordView | undefined>;
  /** Records in key order after `after`, for lists and exports. */
  records(query: {
    stream?: StreamName;
    states?: readonly RecordState[];
    after?: RecordId;
    limit: number;
  }): Promise<RecordView[]>;
  /** Records per stream and state; states without records are absent. */
  counts(): Promise<Map<StreamName, Partial<Record<RecordState, number>>>>;
  /** The latest audit entries, newest first. */
  audit(query: { id?: RecordId; limit: number }): Promise<AuditRecord[]>;
  /** Removes audit entries older than `before`; returns how many. */
  pruneAudit(before: number): Promise<number>;
  /** Parked, uncertain, waiting and skipped records become due again; returns how many. `id` or a whole stream. */
  retryNow(target: { stream?: StreamName; key?: Key; states: readonly RecordState[] }): Promise<number>;
  /** Answers an uncertain or parked create: bind to this id, create anew, or leave the record out. */
  resolve(
    id: RecordId,
    answer: { kind: "bind"; binding: Binding } | { kind: "create" } | { kind: "skip" },
  ): Promise<void>;
  /**
   * The service was found to differ from what was last written: these fields are in doubt and the record is due.
   * Resolves to false and changes nothing unless the record is applied and bound.
   */
  recheck(id: RecordId, doubts: Projection): Promise<boolean>;
  /** The record that is bound to this id of the service. */
  boundTo(binding: Binding): Promise<RecordId | undefined>;

  // ── sweeps ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Begins a sweep of the stream and returns its number; marks of an unfinished one are forgotten. */
  beginSweep(stream: StreamName): Promise<number>;
  /** These keys were seen in the ERP. */
  markSeen(stream: StreamName, sweep: number, keys: readonly Key[]): Promise<void>;
  /**
   * Ends a complete sweep: records not seen become suspects, suspects of an earlier sweep that are still not seen are
   * confirmed; those seen again are cleared. Stages nothing.
   */
  endSweep(stream: StreamName, sweep: number): Promise<{ known: number; suspects: number; confirmed: Key[] }>;

  // ── the service's reference data and the match index ────────────────────────────────────────────────────────────

  reference(resource: ResourceName): Promise<{ readAt: number; entries: Json } | undefined>;
  saveReference(resource: ResourceName, entries: Json): Promise<void>;

  adoption(stream: StreamName): Promise<Adoption | undefined>;
  decideAdoption(stream: StreamName, decision: Adoption["decision"]): Promise<void>;

  /** Replaces (`fresh`) or extends the resource's match index. `complete` stamps it as read to its end, at `readAt`. */
  saveMatches(
    resource: ResourceName,
    batch: { entries: readonly MatchEntry[]; fresh: boolean; complete: boolean; readAt: number },
  ): Promise<void>;
  /** When the resource's match index was last read to its end, and how many records it holds. */
  matchIndex(resource: ResourceName): Promise<{ readAt: number; count: number } | undefined>;
  /** The service ids whose normalised natural key under `rule` is `key`. */
  matches(resource: ResourceName, rule: string, key: string): Promise<ServiceId[]>;

  // ── housekeeping ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Small facts that must survive a restart and have no better place (schema drift reported, breaker times …). */
  note(name: string): Promise<Json | undefined>;
  saveNote(name: string, value: Json): Promise<void>;
  /** Writes a consistent copy of the live store to `path`. */
  backup(path: string): Promise<void>;
  /** Rejects with a StopError when the store cannot be written to or is damaged. */
  check(): Promise<void>;
}

export interface OpenStoreOptions {
  /**
   * `daemon` holds the store alone among daemons until disposed (the operating system frees it after a kill -9) and gives
   * back the claims of a dead one. `operator` reads and answers beside a running daemon.
   * @throws {StopError} E_STORE_BUSY when another live daemon holds it.
   */
  readonly as: "daemon" | "operator";
  /** How long a claim lasts without being renewed, in milliseconds. */
  readonly leaseMs?: number;
}
