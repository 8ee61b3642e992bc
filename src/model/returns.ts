import type { ServiceId } from "./outcome.ts";

/**
 * Why a return exists. `fact`: an approved record, for the first time. `correction`: it changed since. `cancelled`: it is no longer approved, or
 * is gone. `status`: a status that people set in the service. `state`: what became of a record of the ERP.
 */
export type ReturnKind = "fact" | "correction" | "cancelled" | "status" | "state";

/** A value for a column of the inbox. Numbers that must stay exact are decimal text. */
export type ReturnValue = string | number | boolean | null;

/** A version of what the ERP is told about one thing. */
export interface ReturnId {
  /** The name under `returns:` in the sync file. */
  readonly stream: string;
  /** The service id as text; for `state`, the ERP's key. */
  readonly subject: string;
  /** Grows from version to version of one subject. 0 is what was `seen` when the lane was switched on. */
  readonly version: number;
}

/** A line of a report, as the inbox gets it. */
export interface ReturnLine {
  /** What a line is about: `time`, `material`, `travel`, or what the sync file calls it. */
  readonly kind: string;
  /** The id of the line's record in the service. */
  readonly id: ServiceId;
  /** Against the version that this one replaces. A removed line stays, with the amount 0 and its former fields. */
  readonly change: "added" | "changed" | "removed" | "same";
  /** Decimal text with at most four digits behind the point. */
  readonly amount: string | null;
  readonly amountBefore: string | null;
  /** By the name of the column. */
  readonly fields: Readonly<Record<string, ReturnValue>>;
}

/** What a version says. */
export interface ReturnContent {
  /** By the name of the column. */
  readonly fields: Readonly<Record<string, ReturnValue>>;
  readonly lines: readonly ReturnLine[];
}

/** A version, ready to be handed over. */
export interface Return extends ReturnId {
  readonly kind: ReturnKind;
  /** Undefined for the `state` of a record that the service does not have. */
  readonly serviceId: ServiceId | undefined;
  /** The version that this one replaces; undefined for the first. */
  readonly replaces: number | undefined;
  /** SHA-256 in hex over what it says, without the differences to earlier versions. Two equal hashes are the same statement. */
  readonly hash: string;
  readonly content: ReturnContent;
}

/** What the ERP said to a return. */
export interface ReturnAnswer {
  readonly result: "ok" | "refused";
  /** The number that the ERP gave it: an invoice's or a delivery note's. */
  readonly document: string | undefined;
  readonly message: string | undefined;
  readonly at: number;
}

/**
 * `blocked`: its content cannot be made yet, because a key is missing, for example; it is tried again. `seen`: known when the lane was
 * switched on, never handed over. `held`: waits for a person. `prepared`: to be handed over. `delivered`: in the inbox, not answered.
 * `accepted`, `refused`: answered. `uncertain`: it is unknown whether the inbox has it. `withdrawn`: a person decided that it is not handed over.
 */
export const RETURN_STATES = [
  "blocked",
  "seen",
  "held",
  "prepared",
  "delivered",
  "accepted",
  "refused",
  "uncertain",
  "withdrawn",
] as const;
export type ReturnState = (typeof RETURN_STATES)[number];

/** States in which the ERP has a version, or may have it, or will. */
export const HANDED_STATES = [
  "prepared",
  "delivered",
  "accepted",
  "refused",
  "uncertain",
] as const satisfies readonly ReturnState[];

export function isHanded(state: ReturnState): boolean {
  return HANDED_STATES.some((each) => each === state);
}

/** The name of a return at its destination: at most 120 characters. `installation` tells two installations on one inbox apart. */
export function returnName(installation: string, { stream, subject, version }: ReturnId): string {
  return `${installation}/${stream}/${subject}/${version}`;
}
