import {
  backoffMs,
  errorFacts,
  ParkError,
  RetryError,
  StopError,
  WaitError,
  type ErrorFacts,
  type RecordId,
  SyncError,
} from "#model";
import { ParentMissing } from "../../wanted/resolver.ts";

export interface RetryPolicy {
  readonly retryBaseMs: number;
  readonly retryMaxMs: number;
  /** After this many failed attempts a record is parked. */
  readonly retryAttempts: number;
}

/** What happens to a record after its delivery threw. Only this file turns an error into a decision. */
export type RetryDecision =
  | { readonly kind: "retry"; readonly error: ErrorFacts; readonly dueAt: number }
  | {
      readonly kind: "wait";
      readonly error: ErrorFacts;
      readonly dueAt?: number;
      readonly parents?: readonly RecordId[];
      readonly optional?: readonly RecordId[];
    }
  | { readonly kind: "park"; readonly error: ErrorFacts }
  /** Another delivery owns the claim now and decides. */
  | { readonly kind: "lost" }
  | { readonly kind: "stop"; readonly error: StopError };

/**
 * Decides by the error's family. While the service is known to be down (`serviceIsDown`), a failure counts no attempt, so that an
 * outage of hours parks nothing.
 */
export function decideRetry(
  thrown: unknown,
  now: number,
  attempts: number,
  serviceIsDown: boolean,
  policy: RetryPolicy,
): RetryDecision {
  const error = errorFacts(thrown);
  if (thrown instanceof StopError) return { kind: "stop", error: thrown };
  if (thrown instanceof ParkError) return { kind: "park", error };
  if (thrown instanceof ParentMissing)
    return { kind: "wait", error, parents: thrown.missing, optional: thrown.optional };
  if (thrown instanceof WaitError)
    return { kind: "wait", error, dueAt: Math.ceil(now + (thrown.afterMs ?? policy.retryBaseMs)) };
  if (error.code === "E_CLAIM_LOST") return { kind: "lost" };
  if (thrown instanceof RetryError && serviceIsDown) return { kind: "wait", error, dueAt: now + policy.retryBaseMs };
  if (attempts + 1 >= policy.retryAttempts)
    return {
      kind: "park",
      error: {
        code: "E_ATTEMPTS_EXHAUSTED",
        message: `failed ${attempts + 1} times, last with ${error.code}: ${error.message}`,
        details: { ...error.details, attempts: attempts + 1, last: error.code },
      },
    };
  return {
    kind: "retry",
    error,
    dueAt: now + backoffMs({ baseMs: policy.retryBaseMs, maxMs: policy.retryMaxMs }, attempts + 1),
  };
}

/**
 * Whether an error proves that a write was not carried out. An abort, a missing answer or an unexpected error proves nothing: the
 * intent or the doubt then stays.
 */
export function provesNotExecuted(thrown: unknown): boolean {
  return thrown instanceof SyncError && !(thrown instanceof RetryError && thrown.outcomeUnknown);
}

/** Whether an error proves that the service carried out a create, although its id is unknown. */
export function provesExecuted(thrown: unknown): boolean {
  return thrown instanceof RetryError && thrown.code === "E_CREATE_UNKNOWN";
}
