import type { LinkTo, ListFilter, WholeQuery } from "./backward/queries.ts";
import type { Fence } from "./transport/fence.ts";
import type { Finding, Json, JsonObject, ResourceName, ServiceId } from "#model";

/** A record of the service, as an answer showed it. */
export type ServiceRecord = JsonObject;

/** The result of a write. */
export interface Written {
  readonly serviceId: ServiceId;
  /** Fields that were sent, but that the answer shows with another value, or omits although they were requested. */
  readonly dropped: readonly { readonly field: string; readonly sent: Json; readonly found: Json | undefined }[];
  /** The record that people have merged this one into: what was written is of no use there. Absent if it was not merged. */
  readonly mergedTo?: ServiceId;
  readonly status: number;
  readonly durationMs: number;
}

/** A change to an array property: our ids to add and to remove. Other people's ids stay. */
export interface ArrayChange {
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

/** A partial edit: plain values replace, array changes add and remove. */
export interface Patch {
  readonly fields: JsonObject;
  readonly arrays: Readonly<Record<string, ArrayChange>>;
}

/** Whether requests may be sent now, according to the circuit breaker and the rate limit. */
export interface ServiceState {
  readonly state: "closed" | "open" | "half-open";
  /** When an open breaker allows the next probe. */
  readonly probeAt: number | undefined;
  /** Milliseconds for which nothing is sent because the service answered 429; 0 when there is no such pause. */
  readonly holdMs: number;
  /** Requests per second that the service accepts, learned from its 429 answers; undefined while there were none. */
  readonly perSecond: number | undefined;
  /** Requests that may run at once now, by the adaptive limit. */
  readonly concurrency: number;
  readonly requests: number;
}

/** What 429 answers revealed about the service's limit. */
export interface ServiceLimits {
  /** Milliseconds for which nothing may be sent. */
  readonly pausedMs: number;
  /** Requests that may be sent within one second; undefined while no limit is known. */
  readonly rate: number | undefined;
}

/** The kind of value that a field of the service takes. */
export type FieldKind = "text" | "number" | "boolean" | "date" | "id" | "ids" | "object";

/** What reads alone reveal about a field name. */
export interface FieldFact {
  /** `unproven`: the catalogue does not list it, and no record shows whether the tenant has it. */
  readonly verdict: "known" | "unknown" | "unproven";
  readonly kind: FieldKind | undefined;
  /** The service drops values written to it. */
  readonly isReadOnly: boolean;
  /** The name that was probably intended. */
  readonly suggestion?: string | undefined;
}

export interface FieldFacts {
  /** How many records were examined. With 0, nothing is proven. */
  readonly recordCount: number;
  readonly facts: ReadonlyMap<string, FieldFact>;
}

/**
 * Reads for the lane back to the ERP. All its requests give way to those of deliveries. Failures are those of {@link Service}.
 */
export interface BackwardReads {
  list: Service["list"];
  read: Service["read"];

  /**
   * These records, with one request per 50 where the list of the resource can be asked for ids. Those that it does not show are absent: that does
   * not prove that they do not exist.
   */
  several(
    resource: ResourceName,
    ids: readonly ServiceId[],
    fields: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<ServiceId, ServiceRecord>>;

  /**
   * A record with the records of its lists, unchanged while it was read; the sums of its lines are the totals that it shows. One request where the
   * service expands lists, else one a list and two more. Undefined as {@link Service.read}.
   * @throws {RetryError} E_RETURN_MOVING when that failed three times in a row.
   */
  whole(
    resource: ResourceName,
    id: ServiceId,
    query: WholeQuery,
    signal: AbortSignal,
  ): Promise<ServiceRecord | undefined>;

  /** Whether the service was proven to obey this filter. Asks it up to three short questions where that is not known. */
  obeys(resource: ResourceName, filter: ListFilter["name"], signal: AbortSignal): Promise<boolean>;

  /**
   * The records that a filter shows, with its own field; each row is checked.
   * @throws {RetryError} E_RETURN_CANARY when a row shows that the filter does not work. It is not used again.
   */
  filtered(
    resource: ResourceName,
    filter: ListFilter,
    fields: readonly string[],
    signal: AbortSignal,
  ): AsyncIterable<ServiceRecord[]>;

  /** The filter was seen to leave out a record: it is not used again. */
  distrust(resource: ResourceName, filter: ListFilter["name"], found: string): void;

  /** The record of `resource` that links to another one; undefined if there is none. */
  linked(
    resource: ResourceName,
    to: LinkTo,
    fields: readonly string[],
    signal: AbortSignal,
  ): Promise<ServiceRecord | undefined>;
}

/**
 * The service as the workers use it. Every call obeys the time-outs, the adaptive limit and the circuit breaker, and
 * reports a failure as one of the four error families:
 * - `WaitError` E_SERVICE_BUSY (429 with a long pause, or too many in a row), E_SERVICE_DOWN (breaker open): nothing was
 * carried out;
 * - `RetryError` E_SERVICE_UNREACHABLE, E_SERVICE_FAILED (5xx), …: `outcomeUnknown` tells whether a write may have been
 * carried out;
 * - `ParkError` E_SERVICE_REFUSED (400, 403, 405 …) with the service's own message;
 * - `StopError` E_SERVICE_LOGIN: wrong credentials.
 */
export interface Service extends AsyncDisposable {
  /** POSTs once. Repeats only a request that was provably not carried out (401, 429). */
  create(resource: ResourceName, body: JsonObject, signal: AbortSignal): Promise<Written>;

  /**
   * PUTs a partial edit, once. An edit without an answer may still arrive after a later one, so the caller is told
   * (`outcomeUnknown`). Only the reads of an edit, and requests that were provably not carried out (401), are repeated.
   * @throws {ParkError} E_RECORD_GONE when the service does not have the record (404 or 400); E_PARENT_CHANGED when its
   * address nests it below another record than `patch` names. Nothing is sent then.
   * @throws {RetryError} E_RECORD_GONE when it answered 200 and does not show the record afterwards.
   */
  update(resource: ResourceName, id: ServiceId, patch: Patch, signal: AbortSignal): Promise<Written>;

  /**
   * DELETEs, once, as {@link update} PUTs. A record that does not exist counts as deleted.
   * @throws {ParkError} E_SERVICE_REFUSED where deleting is never allowed.
   */
  remove(resource: ResourceName, id: ServiceId, signal: AbortSignal): Promise<{ status: number; durationMs: number }>;

  /**
   * One record with these fields; undefined when the service says, to a read of the id alone, that it does not exist.
   * @throws {ParkError} E_SERVICE_REFUSED when the service has the record and refuses these fields.
   */
  read(
    resource: ResourceName,
    id: ServiceId,
    fields: readonly string[],
    signal: AbortSignal,
    /** Other known fields of the record: where a path nests the resource, ids of records above are taken from here. */
    above?: JsonObject,
  ): Promise<ServiceRecord | undefined>;

  /**
   * Checks whether refusals can be believed now: a gateway in between may answer 404, 400 or 403 to every request.
   * Resolves once the service shows one of the `known` records, which should all exist. Without known records, it must
   * show any record of the list, prove that there is none, or, where it does not list this resource, list another one.
   * True when the resource itself was shown.
   * @throws {WaitError} E_SERVICE_DOUBTED otherwise. The breaker counts refusals of known records as failures.
   */
  vouch(resource: ResourceName, known: readonly ServiceId[], signal: AbortSignal): Promise<boolean>;

  /**
   * All records in pages of 50, each record once, even if rows move between pages meanwhile. Custom fields requested as
   * `customFields.<id or name>` become members of that name; `id` is always included. `changedSince` (epoch ms) narrows
   * the list where the resource supports it; every row is checked against it.
   * @throws {RetryError} E_LIST_UNSTABLE when the server ignores the offset or the pages do not add up.
   */
  list(
    resource: ResourceName,
    query: { fields: readonly string[]; changedSince?: number },
    signal: AbortSignal,
  ): AsyncIterable<ServiceRecord[]>;

  /**
   * The id of the reference record whose `by` is `value`, from a cache no older than the settings allow. An unknown name
   * is looked up once more before it is refused.
   * @throws {ParkError} E_LOOKUP_UNKNOWN, listing the names that exist; E_LOOKUP_AMBIGUOUS, listing the ids.
   */
  lookup(resource: ResourceName, by: string, value: string | number, signal: AbortSignal): Promise<ServiceId>;

  /**
   * Whether the resource has these fields, and what they take: judged by one page of records, by the tenant's custom
   * fields, and by the catalogue where records show nothing. Never writes.
   */
  fields(resource: ResourceName, names: readonly string[], signal: AbortSignal): Promise<FieldFacts>;

  /** What the lane back to the ERP reads. */
  readonly backward: BackwardReads;

  state(): ServiceState;

  /**
   * Limits how many requests run at once; the other processes use the rest. With 0, no request waits for the service's
   * limit.
   */
  setShare(requests: number): void;
  /** What the service's 429 answers told this process, for the other processes that send to the same service. */
  limits(): ServiceLimits;
  /** Obeys what the 429 answers told all senders, this process included: its share of the rate, and the pause. */
  setLimits(limits: ServiceLimits): void;
  /** Calls `listener` when the service asks this process for a pause, or for a longer one. */
  onPause(listener: () => void): void;
  /**
   * The most requests that run or may start at once. After the share was reduced, this stays above it until enough
   * requests have ended.
   */
  held(): number;

  /**
   * Ends the session that a lost daemon shares, if {@link SessionCell} asks for it, and starts another, because that
   * daemon may still send requests that it had prepared. Call it before any of those are settled. A no-op where no
   * session is shared.
   */
  fence(): Promise<void>;

  /**
   * Milliseconds for which the service may still carry out late requests of a lost daemon, because its token could not
   * be ended.
   */
  exposedMs(): number;

  /** Finds out, with two logins of its own, how to make the service refuse late requests. */
  proveFence(): Promise<Fence>;

  /** From now on, no request waits for the service's limit: a request that cannot be sent at once fails with E_SERVICE_BUSY. */
  drain(): void;

  /** The service's clock in epoch milliseconds, taken from its answers; our own clock before the first answer. */
  now(): number;

  /** Resolves once a call has proven the address and the credentials. */
  ping(signal: AbortSignal): Promise<void>;

  /** Probes the tenant, by reads only, and compares the findings with the settings. */
  probe(resources: readonly ResourceName[], signal: AbortSignal): Promise<Finding[]>;
}
