import type { Deletion, Stream } from "#mapping";
import { ParkError } from "#model";
import type { Bound, Deliverable } from "./knowledge.ts";

/** @throws {ParkError} E_RESOURCE_CHANGED when the sync file now names another resource: an id is valid for one resource only. */
export function expectSameResource(
  { binding, intent }: Pick<Deliverable, "binding" | "intent">,
  { name, resource }: Stream,
): void {
  const known = (binding ?? intent)?.resource;
  if (known === undefined || known === resource) return;
  const counterpart = binding ? `is ${known} ${binding.serviceId}` : `was being created as ${known}`;
  throw new ParkError("E_RESOURCE_CHANGED", `the record ${counterpart}, but ${name} now writes to ${resource}`, {
    details: { resource: known, serviceId: binding?.serviceId ?? null },
  });
}

/**
 * Refuses to deliver the last readable row in place of the current one.
 * @throws {ParkError} with the reason why the current row cannot be read.
 */
export function expectReadable({ unreadable }: Pick<Deliverable, "unreadable">): void {
  if (unreadable) throw new ParkError(unreadable.code, unreadable.message, { details: unreadable.details });
}

/**
 * Until a person decides, nothing is bound, created or deleted for a record whose binding a person ended.
 * @throws {ParkError} E_UNBOUND
 */
export function expectDecided(record: Pick<Deliverable, "decision">): void {
  if (wasUnbound(record))
    throw new ParkError("E_UNBOUND", "a person unbound the record and has not decided yet what to bind it to");
}

/** Whether a person ended the binding. Then only a person decides what the record belongs to, even if it has a natural key. */
export function wasUnbound({ decision }: Pick<Deliverable, "decision">): boolean {
  return decision?.kind === "unbound";
}

/** Whether a deletion changes nothing in the service: the service never had the record, or the stream leaves it there. */
export function leavesService({ binding }: Pick<Deliverable, "binding">, { policy }: Deletion): boolean {
  return !binding || policy === "ignore";
}

/** Whether a deletion was begun and its end was not seen. The bound record then counts as gone. */
export function isInterrupted<R extends Pick<Deliverable, "binding" | "inFlight">>(
  record: R,
): record is R & { readonly binding: NonNullable<R["binding"]> } {
  return record.binding !== undefined && record.inFlight?.kind === "deletion";
}

/**
 * Whether to look for the record in the service before creating it. False without a match rule, or when a person said that the
 * service does not have it.
 */
export function looksFirst({ decision }: Pick<Deliverable, "decision">, { match }: Stream): boolean {
  return match.length > 0 && decision?.kind !== "create";
}

export function isBound<R extends Deliverable>(record: R): record is Bound<R> {
  return record.binding !== undefined;
}

/** The record as it is after its binding has ended. */
export function unbound<R extends Deliverable>(
  record: R,
): R & { readonly binding: undefined; readonly applied: undefined; readonly inFlight: undefined } {
  return { ...record, binding: undefined, applied: undefined, inFlight: undefined };
}
