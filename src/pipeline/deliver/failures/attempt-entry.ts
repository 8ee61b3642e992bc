import { errorText, type ErrorFacts } from "#model";
import type { AuditEntry, Claim } from "#store";
import type { Stream } from "#mapping";
import { MergedError } from "../../counterpart/merged-error.ts";

/** A delivery that failed: for which record, and how. */
export interface Attempt {
  readonly claim: Claim;
  readonly stream: Pick<Stream, "resource"> | undefined;
  readonly thrown: unknown;
  readonly durationMs: number;
}

/** A delivery that failed, for the record's history: what was answered and how long it took, or that the record was merged. */
export function attemptEntry({ claim, stream, thrown, durationMs }: Attempt, error: ErrorFacts): AuditEntry {
  if (thrown instanceof MergedError && thrown.audit !== undefined) return thrown.audit;
  const { status } = error.details;
  return {
    action: "attempt",
    resource: stream?.resource ?? "",
    ...claim.binding,
    outcome: errorText(error),
    status: typeof status === "number" ? status : undefined,
    durationMs,
  };
}
