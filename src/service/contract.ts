import type { Fence } from "./transport/fence.ts";
import type { Finding, Json, JsonObject, ResourceName, ServiceId } from "#model";

/** A record of the service as an answer carried it. */
export type ServiceRecord = JsonObject;

/** The result of a write. */
export interface Written {
  readonly serviceId: ServiceId;
  /** Fields that were sent and that the answer shows with another value, or not at all although asked for. */
  readonly dropped: readonly { readonly field: string; readonly sent: Json; readonly found: Json | undefined }[];
  readonly status: number;
  readonly durationMs: number;
}

/** An array property's change: ids of ours to add and to remove; the others' stay. */
export interface ArrayChange {
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

/** A partial edit: plain values replace, array changes add and remove. */
export interface Patch {
  readonly fields: JsonObject;
  readonly arrays: Readonly<Record<string, ArrayChange>>;
  /** Other known fields of the record, not sent: where a path nests the resource, ids of records above are taken from here. */
  readonly above?: JsonObject;
}

/** Whether requests go through: the breaker's word, and the pace's. */
export interface ServiceState {
  readonly state: "closed" | "open" | "half-open";
  /** When an open breaker lets the next probe through. */
  readonly probeAt: number | undefined;
  /** For how many milliseconds more nothing is sent, since the service answered 429; 0 when it is not so. */
  readonly holdMs: number;
  /** Requests per second that the service lets pass, as far as its 429s have shown; undefined while there were none. */
  readonly perSecond: number | undefined;
  /** Requests allowed at once now: the adaptive limit. */
  readonly concurrency: number;
  readonly requests: number;
}

/** What refusals of requests as too many (429) told. */
export interface ServiceLimits {
  /** For how many milliseconds more nothing may be sent. */
  readonly pausedMs: number;
  /** How many requests may be sent within a second; undefined while no limit is known. */
  readonly rate: number | undefined;
}

/** What a field of the service takes. */
export type FieldKind = "text" | "number" | "boolean" | "date" | "id" | "ids" | "object";

/** What is known about a field's name, by reads alone. */
export interface FieldFact {
  /** `unproven`: the catalogue does not list it, and no record shows whether the tenant has it. */
  readonly verdict: "known" | "unknown" | "unproven";
  readonly kind: FieldKind | undefined;
  /** The service drops what is written to it. */
  readonly isReadOnly: boolean;
  /** The name that was probably meant. */
  readonly suggestion?: string | undefined;
}

export interface FieldFacts {
  /** How many records were looked at: none proves nothing. */
  readonly recordCount: number;
  readonly facts: ReadonlyMap<string, FieldFact>;
}

/**
 * The service as the workers use it. Every call obeys time-outs, the adaptive limit and the breaker, and translates what
 * went wrong into one of the four error families:
 * - `WaitError` E_SERVICE_BUSY (429 and a long pause, or too often in a row), E_SERVICE_DOWN (breaker open): nothing was sent or nothing was done;
 * - `RetryError` E_SERVICE_UNREACHABLE, E_SERVICE_FAILED (5xx), …: `outcomeUnknown` tells whether a write may have happened;
 * - `ParkError` E_SERVICE_REFUSED (400, 403, 405 …) with the service's own message;
 * - `StopError` E_SERVICE_LOGIN: wrong credentials.
 */
export interface Service extends AsyncDisposable {
  /** POSTs once; repeats automatically only if the request was provably not processed (401, 429). */
  create(resource: ResourceName, body: JsonObject, signal: AbortSignal): Promise<Written>;

  /**
   * PUTs a partial edit, once: an edit whose end was not seen may still arrive after a later one, so the caller hears about it
   * (`outcomeUnknown`). Only what was provably not processed (401) and the reads that go with an edit are repeated.
   * @throws {ParkError} E_RECORD_GONE when the service does not have the record (404 or 400); E_PARENT_CHANGED when its address
   * nests it below another record than `patch` names. Nothing is sent then.
   * @throws {RetryError} E_RECORD_GONE when it answered 200 and does not show the record afterwards.
   */
  update(resource: ResourceName, id: ServiceId, patch: Patch, signal: AbortSignal): Promise<Written>;

  /** DELETEs. A record that is not there is deleted already. @throws {ParkError} E_SERVICE_REFUSED where deleting is never allowed. */
  remove(
    resource: ResourceName,
    id: ServiceId,
    signal: AbortSignal,
    /** As in {@link Patch.above}. */
    above?: JsonObject,
  ): Promise<{ status: number; durationMs: number }>;

  /** One record with these fields, or undefined in all spellings of "not there". */
  read(
    resource: ResourceName,
    id: ServiceId,
    fields: readonly string[],
    signal: AbortSignal,
    /** As in {@link Patch.above}. */
    above?: JsonObject,
  ): Promise<ServiceRecord | undefined>;

  /**
   * Asks whether refusals can be believed at this moment: something in between may answer 404, 400 or 403 to everything.
   * Resolves when the service shows one of the `known` records, which are there as far as anybody knows; without any, when it
   * shows a record of the list or proves that there is none, or lists of other resources where it does not list this one: true when it was
   * the resource itself that it showed.
   * @throws {WaitError} E_SERVICE_DOUBTED when it does not. The breaker counts refusals of known records as failures.
   */
  vouch(resource: ResourceName, known: readonly ServiceId[], signal: AbortSignal): Promise<boolean>;

  /**
   * All records in pages of 50, each record once however rows move between pages. Custom fields that are asked for by
   * `customFields.<id or name>` are members of that name; `id` is always among the fields.
   * `changedSince` (epoch ms) narrows where the resource has it; every row is checked against it.
   * @throws {RetryError} E_LIST_UNSTABLE when the server ignores the offset or pages do not add up.
   */
  list(
    resource: ResourceName,
    query: { fields: readonly string[]; changedSince?: number },
    signal: AbortSignal,
  ): AsyncIterable<ServiceRecord[]>;

  /**
   * The id of the reference record whose `by` is `value`, from a cache no older than the settings allow; an unknown name is
   * looked up once more before it is refused.
   * @throws {ParkError} E_LOOKUP_UNKNOWN, listing the names that exist; E_LOOKUP_AMBIGUOUS, listing the ids.
   */
  lookup(resource: ResourceName, by: string, value: string | number, signal: AbortSignal): Promise<ServiceId>;

  /**
   * Whether the resource has fields of these names and what they take: by one page of records, by the tenant's custom fields,
   * and by the catalogue where records show nothing. Never writes.
   */
  fields(resource: ResourceName, names: readonly string[], signal: AbortSignal): Promise<FieldFacts>;

  state(): ServiceState;

  /** Limits how many requests run at once from now on: the other replicas have the rest. With 0, none waits for the service's limit. */
  setShare(requests: number): void;
  /** What the service's own refusals told this process. Others that send beside it are to know. */
  limits(): ServiceLimits;
  /** Obeys what they told all that send, this process among them: its part of the rate, and the pause of all. */
  setLimits(limits: ServiceLimits): void;
  /** Calls `listener` when the service asks this process for a pause, or for a longer one. */
  onPause(listener: () => void): void;
  /** The most requests that run or may begin at once: it may exceed a share that became smaller, until some have ended. */
  held(): number;

  /**
   * Ends the session that a lost daemon shares, if {@link SessionCell} says so, and begins another: that daemon may still send what it had
   * begun. Call it before any of that is settled. Does nothing where no session is shared.
   */
  fence(): Promise<void>;

  /** For how many milliseconds more the service may carry out late requests of a lost daemon, as its token could not be ended. */
  exposedMs(): number;

  /** Finds out, with two logins of its own, how to make the service refuse late requests. */
  proveFence(): Promise<Fence>;

  /** From now on no request waits for the service's limit: what cannot be sent at once ends with E_SERVICE_BUSY. */
  drain(): void;

  /** The service's own clock, in epoch milliseconds, as its answers tell it; ours before the first answer. */
  now(): number;

  /** Resolves when a call that proves address and credentials succeeded. */
  ping(signal: AbortSignal): Promise<void>;

  /** Probes the tenant with reads alone and compares what it finds with what is configured. */
  probe(resources: readonly ResourceName[], signal: AbortSignal): Promise<Finding[]>;
}
