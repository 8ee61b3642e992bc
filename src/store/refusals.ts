import {
  ParkError,
  RetryError,
  StopError,
  recordLabel,
  type Binding,
  type ErrorFacts,
  type RecordId,
  type StreamName,
} from "#model";

/** What a process wanted when it found a daemon on the store, and why it cannot have it. */
const inUse = {
  toRun: "only one daemon may run on it",
  toChange: "its tables are those of another version of svcsync, and can be changed once that daemon has stopped",
};

export function storeBusy(
  store: string,
  holder: string | undefined,
  wanted: keyof typeof inUse,
  { details, cause }: { readonly details: Readonly<Record<string, string>>; readonly cause?: unknown },
): StopError {
  const message = `the store in ${store} is in use by ${holder ?? "another daemon"}; ${inUse[wanted]}`;
  return new StopError("E_STORE_BUSY", message, { cause, details: { ...details, holder: holder ?? null } });
}

/** The claim ended, by a step or because another worker took the record. */
export function claimLost(id: RecordId): RetryError {
  return new RetryError("E_CLAIM_LOST", `${recordLabel(id)} is no longer held by this claim`);
}

/** A step that the record's state does not allow: a defect of the program. */
export function refused({ id }: { readonly id: RecordId }, why: string): ParkError {
  return new ParkError("E_STORE_STATE", `${recordLabel(id)} ${why}`);
}

/** @throws {ParkError} E_STORE_VALUE when it cannot be a service id. */
export function expectServiceId(id: RecordId, { resource, serviceId }: Binding): void {
  if (Number.isSafeInteger(serviceId) && serviceId > 0) return;
  const message = `${recordLabel(id)} cannot be bound to ${resource} ${serviceId}: that is no id`;
  throw new ParkError("E_STORE_VALUE", message);
}

export function alreadyBound(id: RecordId, { resource, serviceId }: Binding, owner: RecordId): ParkError {
  const boundTo = recordLabel(owner);
  return new ParkError(
    "E_ALREADY_BOUND",
    `${recordLabel(id)} cannot be bound to ${resource} ${serviceId}: that is ${boundTo}`,
    { details: { resource, serviceId, boundTo } },
  );
}

export function unknownRecord(id: RecordId): ParkError {
  return new ParkError("E_RECORD_UNKNOWN", `${recordLabel(id)} is not known to the store`);
}

/** `open` is the number of the current sweep. */
export function sweepLost(stream: StreamName, sweep: number, open: number | undefined): RetryError {
  const why = open === undefined ? "it was ended" : `sweep ${open} took its place`;
  return new RetryError("E_SWEEP_LOST", `sweep ${sweep} of ${stream} is over: ${why}`);
}

/** Why a record is left out: by a rule or a person, or because its stream creates none and the service does not have it. */
export type LeftOutCode = "E_SKIPPED" | "E_CREATE_NEVER";

/** The reason for skipping a record, in the form in which lists show all reasons. */
export function leftOut(reason: string, code: LeftOutCode = "E_SKIPPED"): ErrorFacts {
  return { code, message: reason, details: {} };
}

export const SKIPPED_BY_PERSON = leftOut("left out by an operator");
