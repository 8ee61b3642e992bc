import { ParkError } from "#model";
import type { Deletion, Stream } from "#mapping";
import { forgottenError, isForgotten, type Claim } from "#store";
import type { Resolver, Wanted } from "./resolver.ts";

/** What is known about a record before its delivery does anything. A plan knows the same. */
export type Deliverable = Pick<Claim, "id" | "row" | "deleted" | "binding" | "intent" | "applied" | "decision"> &
  Partial<Pick<Claim, "unreadable" | "inFlight">>;

/** What to do with a record, as far as its row, the sync file and the store decide it. */
export type Course =
  | { readonly kind: "skip"; readonly reason: string }
  /** `isSought`: the record is not bound, so its counterpart is looked up before it counts as never written. */
  | { readonly kind: "remove"; readonly deletion: Deletion; readonly isSought: boolean }
  | { readonly kind: "write"; readonly wanted: Wanted };

/**
 * Decides what a delivery does with a record, once a create that was begun is settled. Writes nothing.
 * @throws {ParkError} when the row cannot be read or mapped, or when a person ended the record's binding.
 * @throws {WaitError} E_PARENT_MISSING when a parent is not bound yet.
 */
export async function courseOf(
  record: Deliverable,
  stream: Stream,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<Course> {
  if (isForgotten(record)) return { kind: "skip", reason: forgottenError.message };
  expectReadable(record);
  const mapped = await stream.map(record.row, record.deleted);
  switch (mapped.kind) {
    case "skip":
      return mapped;
    case "deleted":
      return { kind: "remove", deletion: mapped, isSought: !record.binding && !wasUnbound(record) };
    case "record":
      if (wasUnbound(record)) throw stillUnbound();
      return { kind: "write", wanted: await resolver.resolve(record.id, mapped.fields, signal) };
  }
}

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

/** The error of a record whose binding a person ended: until a person decides, nothing is bound, created or deleted for it. */
export function stillUnbound(): ParkError {
  return new ParkError("E_UNBOUND", "a person unbound the record and has not decided yet what to bind it to");
}

/**
 * Refuses to deliver the last readable row in place of the current one.
 * @throws {ParkError} with the reason why the current row cannot be read.
 */
export function expectReadable({ unreadable }: Pick<Deliverable, "unreadable">): void {
  if (unreadable) throw new ParkError(unreadable.code, unreadable.message, { details: unreadable.details });
}

/** Whether a person ended the binding. Then only a person decides what the record belongs to, even if it has a natural key. */
function wasUnbound({ decision }: Pick<Deliverable, "decision">): boolean {
  return decision?.kind === "unbound";
}
