import type { Severity } from "#store";

/** What a notice can be about. */
export type ConditionKind =
  | "failing"
  | "held"
  | "deletions"
  | "parked"
  | "uncertain"
  | "blocked"
  | "silence"
  | "service"
  | "queue"
  | "disk"
  | "credential"
  | "backup"
  | "drift"
  | "channel"
  | "stopped";

/** Something that is true now and that a person may have to know. */
export interface Condition {
  /** The same for as long as it is the same trouble. */
  readonly id: string;
  readonly kind: ConditionKind;
  readonly severity: Severity;
  /** One line: what happened. */
  readonly title: string;
  /** The error behind it, with its code. */
  readonly cause?: string;
  /** Which streams, records or parts. */
  readonly affected: string;
  /** What a person does; commands are in double quotes. */
  readonly remedy?: string;
  /** Records that it concerns. */
  readonly count?: number;
  /** How long it holds before it is told: what heals within this time is not told. */
  readonly patienceMs: number;
  /** A person does not want to hear of it now. */
  readonly isSnoozed?: boolean;
}
