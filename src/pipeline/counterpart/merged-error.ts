import { ParkError, type Binding, type Json, type ResourceName, type ServiceId } from "#model";
import { mergeFields } from "#service";
import type { AuditEntry } from "#store";

/** The record's counterpart was merged into one that cannot become its counterpart. */
export class MergedError extends ParkError {
  /** What the record's history shows of the merge. */
  readonly audit: AuditEntry | undefined;

  constructor(message: string, details: Record<string, Json>, audit?: AuditEntry) {
    super("E_TICKET_MERGED", message, { details });
    this.audit = audit;
  }

  with(audit: AuditEntry): MergedError {
    return new MergedError(this.message, { ...this.details }, audit);
  }
}

export function merged(
  resource: ResourceName,
  serviceId: ServiceId,
  to: ServiceId,
  why: string,
  details: { readonly owner?: string } = {},
): MergedError {
  const message = `${resource} ${serviceId} was merged in the service into ${resource} ${to}, ${why}`;
  return new MergedError(message, { resource, serviceId, mergedTo: to, ...details });
}

/** The refusal to delete the ticket that is left, with its record: a person decides about it. */
export function notDeleted(former: Binding, left: ServiceId): MergedError {
  const why = "which svcsync does not delete with the record, because it also holds what others wrote";
  return merged(former.resource, former.serviceId, left, why).with(mergeEntry(former, left, "parked"));
}

/** A merge that was noticed, for the record's history. */
export function mergeEntry({ resource, serviceId }: Binding, survivor: ServiceId, outcome: string): AuditEntry {
  const [field = ""] = mergeFields(resource);
  const before = { [resource]: serviceId };
  return { action: "merge", resource, serviceId: survivor, before, after: { [field]: survivor }, outcome };
}
