import { errorText, type ErrorFacts, type StreamName } from "#model";
import { healsItself, remedyOf } from "#operator";
import type { NoticeText } from "#store";

/** The subject of a notice. */
export type ConditionKind =
  | "failing"
  | "held"
  | "deletions"
  | "parked"
  | "uncertain"
  | "blocked"
  | "twin"
  | "silence"
  | "service"
  | "queue"
  | "disk"
  | "credential"
  | "backup"
  | "drift"
  | "channel"
  | "returns"
  | "stopped";

/** How long to wait before a problem for a person is reported, in milliseconds, so that all affected streams have met it by then. */
export const PERSON_MS = 30_000;

/** A current condition that people may have to know about. */
export interface Condition extends NoticeText {
  readonly kind: ConditionKind;
  /** How long the condition must hold before it is reported, in milliseconds. */
  readonly patienceMs: number;
  /** Whether a person does not want messages about it now. */
  readonly isSnoozed?: boolean;
}

/** Streams that fail alike. A failure that heals itself is a warning, and only after `afterMs`. */
export function failingCondition(
  {
    id,
    title,
    error,
    streams,
  }: Pick<Condition, "id" | "title"> & {
    readonly error: ErrorFacts;
    readonly streams: readonly StreamName[];
  },
  afterMs: number,
): Condition {
  const heals = healsItself(error.code);
  return {
    id,
    kind: "failing",
    severity: heals ? "warning" : "problem",
    title,
    cause: errorText(error),
    affected: streams.join(", "),
    remedy: remedyOf(error, { stream: streams[0]! }),
    patienceMs: heals ? afterMs : PERSON_MS,
  };
}
