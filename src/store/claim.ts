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

/** A record that one worker holds. Every step names it; a step with a claim that was lost fails with E_CLAIM_LOST. */
export type Claim = BoundClaim | UnboundClaim;

/** A claim of a record that has its counterpart in the service. */
export interface BoundClaim extends ClaimFacts {
  readonly binding: Binding;
}

/** A claim of a record that the service does not have, as far as is known. */
export interface UnboundClaim extends ClaimFacts {
  readonly binding: undefined;
}

interface ClaimFacts {
  readonly id: RecordId;
  /** Random per claim: the fencing token. */
  readonly token: string;
  /** The version that is being delivered; a newer change may be staged meanwhile and makes the record due again. */
  readonly sequence: number;
  readonly row: Row;
  /** The ERP's latest row cannot be read; `row` is the last one that could, and must not be delivered. */
  readonly unreadable?: ErrorFacts | undefined;
  /** The ERP said that the record is gone (`row` is the last one seen). */
  readonly deleted: boolean;
  /** When the change that is delivered was staged; absent where this version was written before (the sync file changed). */
  readonly changedAt?: number;
  /** Deliveries that failed since the last real change. */
  readonly attempts: number;
  /** What was last written to the service, or undefined before the first write. */
  readonly applied: Projection | undefined;
  /** What may differ from `applied` in the service. */
  readonly inFlight: InFlight | undefined;
  /** A create that was begun and whose end is not known. */
  readonly intent: Intent | undefined;
  /** An operator's answer that this delivery carries out. */
  readonly decision: Decision | undefined;
}

/** Why the service may hold something else than what was last written. */
export interface InFlight {
  /**
   * `update`: an update has not been seen to end. `deletion`: the record's deletion has not been seen to end. `drift`: a
   * comparison found the fields to differ; no request is under way.
   */
  readonly kind: "update" | "deletion" | "drift";
  /** Fields that are sent again whatever was last written. The value of an array: every id that may be in it because of us. */
  readonly fields: Projection;
  /** Names the latest request that may not have been seen to end, whichever process sent it; absent where that is not known. */
  readonly request?: string;
}

/** A create that was written down before its POST. */
export interface Intent {
  readonly resource: ResourceName;
  readonly projection: Projection;
  readonly begunAt: number;
  /** How often a search of the service did not find the result: an index may lag. */
  readonly looks: number;
  /** The service said that it carried the create out, but not under which id. */
  readonly answered: boolean;
  /** A person said that the record is a new one: the service may hold others with its natural key. */
  readonly decided: boolean;
}

/**
 * What a person decided. `create`: it is certain that nothing was created, continue with a new create. `unbound`: the binding was
 * ended; nothing is to be bound, created or deleted until the next answer.
 */
export type Decision = { readonly kind: "create" | "unbound" };

/** A record whose service id a projection carries. */
export interface Parent extends RecordId {
  /** The id that the projection carries, null where it carries none. Absent: not told. */
  readonly serviceId?: ServiceId | null;
}

/** What a delivery used: the parents whose service ids are in the projection. Kept to wake and to order deletions. */
export type Parents = readonly Parent[];

/** What a delivery left in the service. */
export interface Applied {
  readonly projection: Projection;
  readonly outcome: Outcome;
  readonly parents: Parents;
  /** Absent when no request was made. */
  readonly audit?: AuditEntry | undefined;
  /** The natural keys of the service's record by now, by rule, for the match index; absent: as the index has them. */
  readonly keys?: Readonly<Record<string, string>> | undefined;
  /** True when `projection` is what the service has but not yet what the row says (an adopted or settled record): due again at once. */
  readonly again?: boolean;
}

/** Why and until when a record waits without an attempt being counted. */
export interface Waiting {
  readonly error: ErrorFacts;
  /**
   * Those that are missing, and no others: the record is woken when one of them is bound, and is due at once when one is bound
   * already.
   */
  readonly parents?: Parents;
  /**
   * Those of them that the record can be delivered without: it is due at once when one of them was deleted in the ERP or is left
   * out by now.
   */
  readonly optional?: readonly RecordId[];
  /** Due again at this moment; undefined: only an event wakes it. */
  readonly dueAt?: number | undefined;
}

/** One write to the service, or one step of a record's life that a person may ask about. Never a secret. */
export interface AuditEntry {
  readonly action:
    | "create"
    | "update"
    | "delete"
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
    | "plan"
    | "note"
    | "notify"
    | "forget"
    | "watch"
    | "fence"
    | "move";
  /** Empty where no resource is meant. */
  readonly resource: ResourceName;
  readonly serviceId?: ServiceId | undefined;
  readonly before?: Json | undefined;
  readonly after?: Json | undefined;
  readonly outcome: string;
  readonly status?: number | undefined;
  readonly durationMs?: number | undefined;
  /** The person who did it; undefined: svcsync. */
  readonly by?: Actor | undefined;
}
