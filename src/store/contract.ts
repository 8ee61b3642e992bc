import type {
  Binding,
  Change,
  Cursor,
  ErrorCode,
  ErrorFacts,
  Json,
  Key,
  Projection,
  RecordId,
  RecordState,
  ResourceName,
  ServiceId,
  StreamName,
} from "#model";
import type { Redact } from "#telemetry";
import type { Applied, AuditEntry, Claim, Parents, Waiting } from "./claim.ts";
import type {
  Adoption,
  AuditRecord,
  CursorState,
  DueRecord,
  MatchEntry,
  RecordView,
  StageResult,
  ToldDeletion,
  Unreadable,
  UnseenMatches,
} from "./facts.ts";

/**
 * The truth. Async and coarse: one method = one transaction = one step of the story, so that it can be kept on a server
 * database too. Methods reject with a StopError (E_STORE_FULL, E_STORE_READONLY, E_STORE_CORRUPT, E_STORE_FAILED) when
 * the disk does: nothing was then recorded, and nothing may be sent. E_STORE_LOCKED (a RetryError) says that another
 * process wrote for too long; E_STORE_CLOSED that the store was disposed; E_STORE_VALUE (a ParkError) that the record holds
 * a value that cannot be kept. A step that the record's story does not allow,
 * such as a second create while one is open, is refused with E_STORE_STATE: a defect of the caller.
 * What a method promises is durable when its promise resolves: `begin`, `bind` and everything that ends an intent
 * survive a power cut; the others at least a kill -9.
 */
export interface Store extends AsyncDisposable {
  cursor(stream: StreamName): Promise<CursorState>;

  /**
   * Stores changes and cursor together. A row whose content hash is what the store has is dropped; a real change gets
   * the stream's next sequence, resets attempts and makes the record due, except one that is claimed: its worker makes
   * it due when it is done. Two changes of one key in a batch: the later one wins. A deletion of an unknown key is dropped.
   * `backfill` marks records of a first load, which live changes overtake. A real change ends whatever a record was
   * waiting for or parked with; an open intent stays open. An `unreadable` row is a change, too: the record keeps its last
   * readable row, and its claims carry the error until a readable row or a deletion is staged. A deletion keeps the last row; a record that comes back has its
   * old binding. `complete`: the poll reached the end of its window.
   */
  stage(
    stream: StreamName,
    batch: {
      changes: readonly Change[];
      unreadable?: readonly Unreadable[];
      cursor: Cursor;
      backfill: boolean;
      complete: boolean;
    },
  ): Promise<StageResult>;

  /** Notes that a poll failed; the cursor stays. Cleared by the next `stage`. */
  pollFailed(stream: StreamName, error: ErrorFacts): Promise<void>;

  /** Forgets the cursor, so that the next poll reads everything again (rows that did not change fall out by hash). */
  resetCursor(stream: StreamName): Promise<void>;

  /**
   * Makes every record of the stream due when `fingerprint` differs from the one stored, and stores it; a claimed record
   * when its claim ends, a deleted one never. Live changes overtake them. Returns how many; none by the first fingerprint.
   */
  remap(stream: StreamName, fingerprint: string): Promise<number>;

  /**
   * Up to `limit` records whose time has come: due or retry time reached, or a claim whose lease ran out.
   * Live changes first, then by due time. `streams` restricts (a stream on hold is left out).
   */
  due(query: { limit: number; streams: readonly StreamName[] }): Promise<DueRecord[]>;

  /** The clock was set back by `byMs`: every due time and lease goes back with it, so that nothing waits for it to catch up. */
  clockSetBack(byMs: number): Promise<void>;

  /**
   * How far the clock had got, to half a second, when anything was last written, be it by an earlier process; since the last
   * {@link clockSetBack}. 0 for a store in which nothing was written.
   */
  latestMoment(): Promise<number>;

  /** The earliest moment at which something becomes due, or undefined; `besides` leaves out what met one of these errors. */
  nextDueAt(streams: readonly StreamName[], besides?: readonly ErrorCode[]): Promise<number | undefined>;

  /**
   * Takes the record if it is due now (compare-and-set), or resolves to undefined: then another worker has it, or there is
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

  /** Notes that the service carried the open create out without telling its id: it is never to be repeated. Durable when resolved. */
  answered(claim: Claim): Promise<void>;

  /** Notes that a search did not find the result of an open intent. */
  looked(claim: Claim): Promise<void>;

  /**
   * Binding, applied projection and end of the intent in one transaction; wakes the records that wait for this one.
   * The record becomes applied; or due again when a newer change was staged, when `applied.again` says so, and when the
   * ERP deleted it, so that the deletion is carried out on what was found.
   * A record bound to another service id before makes the records due whose projection carries the old one; a record whose
   * own projection carries an id that its parent no longer has is due again, here as after `apply`.
   * @throws {ParkError} E_ALREADY_BOUND when the service id is bound to another record of the resource, E_STORE_VALUE when
   * it is no positive integer.
   * @returns the records that were woken.
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
   * Ends the claim without counting an attempt. A parent that has been bound since the claim makes it due at once. Without
   * parents and time only `stage`, `remap` or `retryNow` wakes it.
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
   * The ERP's deletion is carried out. `unbind`: the service's record is gone too, so the binding ends; otherwise it is
   * kept for a record that comes back, with `applied` as what was last written and `doubts` as what is not certain of it.
   * Wakes the children that wait for the record: a reference may be optional.
   */
  remove(
    claim: Claim,
    removal: { unbind: boolean; applied?: Projection; doubts?: Projection; audit?: AuditEntry },
  ): Promise<void>;

  /**
   * Notes that the record is to be deleted in the service too, and counts the deletions of its stream: those that are open,
   * and those told of after `since` that were carried out; in either case only those told of after `confirmedAt`.
   * The note ends with `remove`, and with every step that leaves the record standing. The claim stays.
   */
  tellDeletion(claim: Claim, query: { since: number; confirmedAt: number }): Promise<ToldDeletion>;

  /** The binding's record no longer exists in the service: ends the binding, forgets what was applied; the claim stays. */
  unbind(claim: Claim, audit: AuditEntry): Promise<void>;

  /** Gives a claim back untouched, for a clean stop. */
  release(claim: Claim): Promise<void>;

  /** Bound children of a record that are not deleted: a parent's deletion waits for them. */
  boundChildren(id: RecordId): Promise<RecordId[]>;

  record(id: RecordId): Promise<RecordView | undefined>;
  /** Records in key order after `after`, for lists and exports; `unbound`: only those without a binding. */
  records(query: {
    stream?: StreamName;
    states?: readonly RecordState[];
    unbound?: true;
    after?: RecordId;
    limit: number;
  }): Promise<RecordView[]>;
  /** Records per stream and state; states without records are absent. */
  counts(): Promise<Map<StreamName, Partial<Record<RecordState, number>>>>;
  /** The latest audit entries, newest first. */
  audit(query: { id?: RecordId; limit: number }): Promise<AuditRecord[]>;
  /** Removes audit entries older than `before`; returns how many. */
  pruneAudit(before: number): Promise<number>;
  /**
   * Parked, uncertain, waiting and skipped records become due again, and due ones end their pause; returns how many. Other
   * states are left alone, whatever `states` says. Without `stream` in all streams, without `key` all records.
   */
  retryNow(target: { stream?: StreamName; key?: Key; states: readonly RecordState[] }): Promise<number>;
  /**
   * Answers a record that is not settled yet: an uncertain create, a parked record, one that waits for its first delivery. `bind`: the record is bound to this id, its intent ends, and it is due so that
   * its fields are sent. `create`: the intent ends, and deliveries are told so until the record is bound. `skip`: the record
   * is left out and its children are woken; its intent stays open, so that its result is looked for first should the ERP
   * change the record.
   * `unbind`, for a bound record that is not claimed: the binding ends, what was written is forgotten, and deliveries are told
   * so, whatever else happens, until a person binds or creates the record.
   * @throws {ParkError} E_RECORD_UNKNOWN, E_NOT_RESOLVABLE (settled or claimed; a create of a bound record, an unbind of one
   * that is not), E_ALREADY_BOUND.
   */
  resolve(
    id: RecordId,
    answer: { kind: "bind"; binding: Binding } | { kind: "create" } | { kind: "skip" } | { kind: "unbind" },
  ): Promise<void>;
  /**
   * The service was found to differ from what was last written: these fields are in doubt and the record is due.
   * Resolves to false and changes nothing unless the record is applied and bound. `audit` states what was found.
   */
  recheck(id: RecordId, doubts: Projection, audit?: AuditEntry): Promise<boolean>;
  /** Deletions of the stream that were told of and not carried out yet, with up to `limit` of their keys. */
  openDeletions(stream: StreamName, limit: number): Promise<{ count: number; examples: Key[] }>;
  /** Up to `limit` ids of the resource that records are bound to, the highest first: those were made last. */
  boundIds(resource: ResourceName, limit: number): Promise<ServiceId[]>;
  /** The record that is bound to this id of the service. */
  boundTo(binding: Binding): Promise<RecordId | undefined>;

  /**
   * Begins a sweep of the stream and returns its number; marks of an unfinished one are forgotten, and its steps fail with
   * E_SWEEP_LOST (a RetryError).
   */
  beginSweep(stream: StreamName): Promise<number>;
  /** Those of the keys that no live record has, and those whose record an earlier sweep missed. */
  unseenKeys(stream: StreamName, keys: readonly Key[]): Promise<Key[]>;
  /** These keys were seen in the ERP. */
  markSeen(stream: StreamName, sweep: number, keys: readonly Key[]): Promise<void>;
  /**
   * Ends a complete sweep: records not seen become suspects, suspects of an earlier sweep that are still not seen are
   * confirmed; those seen again, or really changed meanwhile, are cleared. Stages nothing: until their deletion is staged,
   * every later sweep confirms them again. `known` counts the records that the ERP has not deleted.
   */
  endSweep(stream: StreamName, sweep: number): Promise<{ known: number; suspects: number; confirmed: Key[] }>;

  reference(resource: ResourceName): Promise<{ readAt: number; entries: Json } | undefined>;
  saveReference(resource: ResourceName, entries: Json): Promise<void>;

  adoption(stream: StreamName): Promise<Adoption | undefined>;
  /** Without a decision, an earlier one is forgotten. */
  decideAdoption(stream: StreamName, decision: Adoption["decision"] | undefined): Promise<void>;

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

  /** Small facts that must survive a restart and have no better place (schema drift reported, breaker times …). */
  note(name: string): Promise<Json | undefined>;
  saveNote(name: string, value: Json): Promise<void>;
  /** Makes a store that was put back forget match index and adoption decisions; {@link CREATES_NOTE} is then `creates`. */
  restored(creates: number): Promise<void>;
  /** Writes a consistent copy to `path`, over an earlier one once it is whole. The copy is like one that was {@link restored}. */
  backup(path: string): Promise<void>;
  /** Rejects with a StopError when the store cannot be written to or is damaged. Reads the whole store: seconds per gigabyte. */
  check(): Promise<void>;
}

export interface OpenStoreOptions {
  /**
   * `daemon` holds the store alone among daemons until disposed (the operating system frees it after a kill -9) and gives
   * back the claims of a dead one. `operator` reads and answers beside a running daemon.
   * @throws {StopError} E_STORE_BUSY when another live daemon holds it.
   */
  readonly as: "daemon" | "operator";
  /** Takes secrets out of errors and notes before they are written down; none are known unless given. */
  readonly redact?: Redact;
  /** How long a claim lasts without being renewed, in milliseconds. */
  readonly leaseMs?: number;
}
