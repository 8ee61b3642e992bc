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
import type { LeftOutCode } from "./refusals.ts";

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

/**
 * How a claim ends.
 * - `bind`: the record belongs to this record of the service, which holds `applied`. Ends its intent and wakes the records that wait for it.
 * It becomes due again if the ERP deleted it: then the record that was found is deleted next. If it was bound to another service id before,
 * the records whose projection carries the old id become due.
 * - `apply`: the service holds `applied`. After `bind` and `apply` the record is due again if `applied.again` is set, or if its projection
 * carries an id that a parent no longer has.
 * - `retry`: it is due again at `dueAt`, with one attempt more. An open intent stays open. `audit` describes the attempt; the audit trail keeps
 * the latest ten attempts of a record.
 * - `wait`: see {@link Waiting}.
 * - `park`: a person or a new change in the ERP makes the record due again. So does binding one of `parents`, whose ids the delivery used, to
 * another id. An open intent stays open.
 * - `uncertain`: like `park`, for a create whose result cannot be known. Only `resolve` or a successful search ends this state.
 * - `skip`: the stream's rules leave the record out (E_SKIPPED with the reason), or the service does not have it (E_CREATE_NEVER). Keeps a
 * binding and wakes the children.
 * - `remove`: see {@link Removal}.
 * - `release`: nothing was done; the record is due as before. For a clean stop.
 */
export type Ending =
  | { readonly kind: "bind"; readonly binding: Binding; readonly applied: Applied }
  | { readonly kind: "apply"; readonly applied: Applied }
  | {
      readonly kind: "retry";
      readonly error: ErrorFacts;
      readonly dueAt: number;
      readonly audit?: AuditEntry | undefined;
    }
  | ({ readonly kind: "wait" } & Waiting)
  | {
      readonly kind: "park";
      readonly error: ErrorFacts;
      readonly audit?: AuditEntry | undefined;
      readonly parents?: Parents | undefined;
    }
  | { readonly kind: "uncertain"; readonly error: ErrorFacts }
  | { readonly kind: "skip"; readonly reason: string; readonly code?: LeftOutCode | undefined }
  | ({ readonly kind: "remove" } & Removal)
  | { readonly kind: "release" };

/**
 * Why a record waits and until when. Waiting counts no attempt. Without parents and due time, only `stage`, `remap` or `retryNow` wakes the
 * record.
 */
export interface Waiting {
  readonly error: ErrorFacts;
  /**
   * Exactly the missing parents. Binding one of them wakes the record; if one is already bound, also since the claim, the record is due at
   * once.
   */
  readonly parents?: Parents | undefined;
  /**
   * The parents, out of `parents`, that the record can be delivered without. It is due at once if one of them has been deleted in the ERP
   * or skipped.
   */
  readonly optional?: readonly RecordId[] | undefined;
  /** When the record becomes due. Undefined: only an event wakes it. */
  readonly dueAt?: number | undefined;
}

/** A deletion in the ERP that was carried out. Wakes the children that wait for the record: their reference may be optional. */
export interface Removal {
  /**
   * Whether the service's record is gone: then the binding ends, and the record leaves the match index. Otherwise the binding is kept for a
   * record that comes back, with `applied` as what was last written and `inFlight` as what is in doubt.
   */
  readonly unbind: boolean;
  readonly applied?: Projection | undefined;
  readonly inFlight?: InFlight | undefined;
  readonly audit?: AuditEntry | undefined;
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
