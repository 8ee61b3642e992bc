import type { NoticeText } from "#store";

/** What a notice can be about. */
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
  | "stopped";

/** What needs a person is reported once all streams that it concerns have met it. */
export const PERSON_MS = 30_000;

/** Something that is true now and that a person may have to know. */
export interface Condition extends NoticeText {
  readonly kind: ConditionKind;
  /** How long it holds before it is reported: what heals within this time is not. */
  readonly patienceMs: number;
  /** A person does not want to hear about it now. */
  readonly isSnoozed?: boolean;
}
