import type {
  Actor,
  Binding,
  ErrorFacts,
  Json,
  Outcome,
  Projection,
  RecordId,
  ResourceName,
  Row,
  ServiceId,
} from "#model";

/** A record that one worker holds. Every step takes the claim; a step with a lost claim fails with E_CLAIM_LOST. */
export type Claim = BoundClaim | UnboundClaim;

/** A claim of a record that is bound to a record of the service. */
export interface BoundClaim extends ClaimFacts {
  readonly binding: Binding;
}

/** A claim of a record that the service does not have, as far as svcsync knows. */
export interface UnboundClaim extends ClaimFacts {
  readonly binding: undefined;
}

interface ClaimFacts {
  readonly id: RecordId;
  /** Random per claim: the fencing token. */
  readonly token: string;
  /** The version being delivered. If a newer change is staged meanwhile, the record becomes due again. */
  readonly sequence: number;
  readonly row: Row;
  /** Set when the ERP's latest row cannot be read. `row` is then the last readable one and must not be delivered. */
  readonly unreadable?: ErrorFacts | undefined;
  /** Whether the ERP has deleted the record; `row` is then the last one seen. */
  readonly deleted: boolean;
  /** When the change being delivered was staged. Absent if this version was delivered before (the sync file changed). */
  readonly changedAt?: number;
  /** Deliveries that failed since the last real change. */
  readonly attempts: number;
  /** What was last written to the service, or undefined before the first write. */
  readonly applied: Projection | undefined;
  /** Fields whose value in the service may differ from `applied`. */
  readonly inFlight: InFlight | undefined;
  /** A create that was begun and whose result is not known. */
  readonly intent: Intent | undefined;
  /** An operator's answer that this delivery carries out. */
  readonly decision: Decision | undefined;
}

/** Why the service may hold something other than what was last written. */
export interface InFlight {
  /**
   * `update`, `deletion`: the request was begun and its result is not known. `drift`: a comparison found that the fields differ; no request
   * is in flight.
   */
  readonly kind: "update" | "deletion" | "drift";
  /** Fields to send again, whatever was last written. For an array, the value lists every id that we may have put into it. */
  readonly fields: Projection;
  /** Names the latest request whose result is unknown, no matter which process sent it. Absent if that is not known. */
  readonly request?: string;
}

/** A create that was journalled before its POST. */
export interface Intent {
  readonly resource: ResourceName;
  readonly projection: Projection;
  readonly begunAt: number;
  /** How many searches of the service did not find the result: its index may lag. */
  readonly looks: number;
  /** Whether the service confirmed the create without telling its id. */
  readonly answered: boolean;
  /** Whether a person decided that the record is new, although the service may hold others with its natural key. */
  readonly decided: boolean;
}

/**
 * A person's decision. `create`: nothing was created for certain, so create again. `unbound`: a person ended the binding; do not bind,
 * create or delete anything until the next answer.
 */
export type Decision = { readonly kind: "create" | "unbound" };

/** A record whose service id a projection carries. */
export interface Parent extends RecordId {
  /** The id in the projection; null if the projection has none. Absent: unknown. */
  readonly serviceId?: ServiceId | null;
}

/** The parents whose service ids a projection carries. Kept to wake children and to order deletions. */
export type Parents = readonly Parent[];

/** The result of a delivery: what the service now holds. */
export interface Applied {
  readonly projection: Projection;
  readonly outcome: Outcome;
  readonly parents: Parents;
  /** Absent when no request was made. */
  readonly audit?: AuditEntry | undefined;
  /** The current natural keys of the service's record, by rule, for the match index. Absent: unchanged. */
  readonly keys?: Readonly<Record<string, string>> | undefined;
  /**
   * True when the service holds `projection`, which is not yet what the row says (an adopted or settled record). The record is then due at
   * once.
   */
  readonly again?: boolean;
}

/** Why a record waits and until when. Waiting counts no attempt. */
export interface Waiting {
  readonly error: ErrorFacts;
  /** Exactly the missing parents. Binding one of them wakes the record; if one is already bound, the record is due at once. */
  readonly parents?: Parents;
  /**
   * The parents, out of `parents`, that the record can be delivered without. It is due at once if one of them has been deleted in the ERP
   * or skipped.
   */
  readonly optional?: readonly RecordId[];
  /** When the record becomes due. Undefined: only an event wakes it. */
  readonly dueAt?: number | undefined;
}

/**
 * One write to the service, one delivery that failed, or one step in a record's history that a person may ask about. Never holds a secret.
 */
export interface AuditEntry {
  readonly action:
    | "create"
    | "update"
    | "delete"
    | "attempt"
    | "adopt"
    | "settle"
    | "resolve"
    | "unbind"
    | "repair"
    | "dropped"
    | "retry"
    | "reread"
    | "poll"
    | "pause"
    | "resume"
    | "release"
    | "deletions"
    | "files"
    | "plan"
    | "note"
    | "notify"
    | "forget"
    | "watch"
    | "fence"
    | "move"
    | "merge"
    | "return"
    | "rename";
  /** Empty if the entry concerns no resource. */
  readonly resource: ResourceName;
  readonly serviceId?: ServiceId | undefined;
  readonly before?: Json | undefined;
  readonly after?: Json | undefined;
  readonly outcome: string;
  readonly status?: number | undefined;
  readonly durationMs?: number | undefined;
  /** The person who did it. Undefined: svcsync did. */
  readonly by?: Actor | undefined;
}
