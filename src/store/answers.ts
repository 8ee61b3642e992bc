import { ParkError, recordLabel, type Binding, type RecordId, type RecordState } from "#model";
import type { AuditEntry, Decision } from "./claim.ts";
import { allows, statesMovedTo, type RecordEvent } from "./transitions.ts";

export type OperatorDecision =
  | { readonly kind: "bind"; readonly binding: Binding }
  | { readonly kind: "create" }
  | { readonly kind: "skip" }
  | { readonly kind: "unbind" };

/** The event that each answer raises on a record. */
export const ANSWERS: { readonly [K in OperatorDecision["kind"]]: RecordEvent } = {
  bind: "answerBind",
  create: "answerCreate",
  skip: "answerSkip",
  unbind: "answerUnbind",
};

/** The error code of a parked record whose counterpart in the service was deleted. */
export const GONE = "E_RECORD_GONE";

/** @throws {ParkError} E_NOT_RESOLVABLE when this answer is not possible for the record. */
export function expectAnswerable(
  id: RecordId,
  { kind }: OperatorDecision,
  { state, bound, errorCode }: { state: RecordState; bound: Binding | undefined; errorCode: string | null },
): void {
  const label = recordLabel(id);
  if (kind === "unbind" && bound === undefined)
    throw new ParkError("E_NOT_RESOLVABLE", `${label} is not bound: there is nothing to end`);
  if (!allows(state, ANSWERS[kind])) {
    const which =
      kind === "unbind"
        ? "it is being delivered"
        : `only one that is due, waiting, parked${kind === "bind" ? ", uncertain or left out" : " or uncertain"} can be answered`;
    throw new ParkError("E_NOT_RESOLVABLE", `${label} is ${state}; ${which}`, { details: { state } });
  }
  if (bound !== undefined && kind === "create" && errorCode !== GONE)
    throw new ParkError(
      "E_NOT_RESOLVABLE",
      `${label} is already bound to ${bound.resource} ${bound.serviceId}; a create would make a duplicate`,
      { details: { resource: bound.resource, serviceId: bound.serviceId } },
    );
}

/** The audit entry for an answer. */
export function answerEntry({ kind }: OperatorDecision, resource: string, binding: Binding | undefined): AuditEntry {
  const serviceId = binding?.serviceId;
  return kind === "unbind"
    ? { action: "unbind", resource, serviceId, outcome: "unbound" }
    : { action: "resolve", resource, serviceId, outcome: kind };
}

/** The decision that the next delivery reads. `unbound` stays until the record is bound or created, even if it is skipped meanwhile. */
export function decided({ kind }: OperatorDecision, before: Decision["kind"] | null): Decision["kind"] | null {
  if (kind === "create") return "create";
  return kind === "unbind" || (kind === "skip" && before === "unbound") ? "unbound" : null;
}

/** The states, out of `states`, from which a person may retry a record at once. */
export function revivable(states: readonly RecordState[]): RecordState[] {
  const moved = statesMovedTo("due", "retryRequested");
  return states.filter((state) => state === "due" || moved.includes(state));
}
