import type { Deletion } from "#mapping";
import type { ServiceId } from "#model";
import type { Intent } from "#store";
import type { Edited } from "../wanted/difference.ts";
import type { Wanted } from "../wanted/resolver.ts";
import type { Found } from "../match/candidates.ts";
import type { ABSENT } from "../match/absent.ts";
import type { MergedError } from "../counterpart/merged-error.ts";

/** What a delivery does with a record. What it cannot do is thrown: a {@link WaitError} to wait, a {@link ParkError} to park. */
export type Action =
  /** Find out what became of a create that was begun, then decide again. */
  | { readonly kind: "settle"; readonly intent: Intent }
  | { readonly kind: "skip"; readonly reason: string; readonly code?: typeof ABSENT }
  /** The ERP deleted the record, and nothing is written for it. */
  | { readonly kind: "leave" }
  /** Finish a deletion that was begun before the ERP showed the record again, then decide about the unbound record. */
  | { readonly kind: "finishDeletion"; readonly wanted: Wanted }
  | { readonly kind: "create"; readonly wanted: Wanted }
  /** Bind the record to the one that was found. With `deletion`, the ERP deleted it: the deletion follows. */
  | {
      readonly kind: "adopt";
      readonly serviceId: ServiceId;
      readonly found: Found;
      readonly wanted: Wanted;
      readonly deletion?: Deletion;
    }
  /** Write what differs from the service's record, which a person bound. */
  | { readonly kind: "compare"; readonly wanted: Wanted }
  | { readonly kind: "update"; readonly wanted: Wanted; readonly edited: Edited }
  | { readonly kind: "unchanged"; readonly wanted: Wanted; readonly edited: Edited }
  /** The service does not have the bound record any more. */
  | { readonly kind: "gone"; readonly wanted: Wanted }
  /** Bind the record to the one that its own is known to be merged into; not where that is `taken` by another record. */
  | {
      readonly kind: "rebind";
      readonly to: ServiceId;
      readonly wanted: Wanted;
      readonly taken?: MergedError | undefined;
    }
  /** The same, for fields that a deletion sets there. */
  | {
      readonly kind: "rebindDeleted";
      readonly to: ServiceId;
      readonly deletion: SetFields;
      readonly taken?: MergedError | undefined;
    }
  | { readonly kind: "setFields"; readonly deletion: SetFields; readonly wanted: Wanted; readonly edited: Edited }
  | { readonly kind: "delete" }
  /** The record to be deleted was merged into `to`, which is never deleted: the deletion ends where that is `taken` by another record. */
  | { readonly kind: "endMerged"; readonly to: ServiceId; readonly taken?: MergedError | undefined };

export type SetFields = Extract<Deletion, { policy: "set" }>;
