import { ParkError, type ErrorFacts } from "#model";
import type { Stream } from "#mapping";
import type { Claim } from "#store";
import type { Wanted } from "./resolver.ts";

/** @throws {ParkError} E_RESOURCE_CHANGED: an id of one resource is no id of another, whatever the sync file says now. */
export function expectSameResource({ binding, intent }: Claim, { name, resource }: Stream): void {
  const known = (binding ?? intent)?.resource;
  if (known === undefined || known === resource) return;
  const counterpart = binding ? `is ${known} ${binding.serviceId}` : `was being created as ${known}`;
  throw new ParkError("E_RESOURCE_CHANGED", `the record ${counterpart}, but ${name} now leads to ${resource}`, {
    details: { resource: known, serviceId: binding?.serviceId ?? null },
  });
}

/** The last readable row is not what the ERP has now: it is not delivered in its place. */
export function unreadable({ code, message, details }: ErrorFacts): ParkError {
  return new ParkError(code, message, { details });
}

/** What a record that exists is updated by. */
export function withoutCreateOnly({ projection, createOnly }: Wanted): Wanted["projection"] {
  if (createOnly.size === 0) return projection;
  return Object.fromEntries(Object.entries(projection).filter(([name]) => !createOnly.has(name)));
}

/** Why nothing is bound, created or deleted for a record whose binding a person ended. */
export function stillUnbound(): ParkError {
  return new ParkError("E_UNBOUND", "a person ended its binding and has not said yet what it belongs to");
}
