import type { ReturnContent, ReturnId, ReturnLine, ReturnState, ReturnValue } from "#model";
import type { StoredReturn } from "#store";

/** How commands and the page name a return: `reports/4711/2`. */
export function returnLabel({ stream, subject, version }: ReturnId): string {
  return `${stream}/${subject}/${version}`;
}

export const returnMeanings: Readonly<Record<ReturnState, string>> = {
  blocked: "Its content cannot be made yet, and svcsync tries again.",
  seen: "It was like this when the lane was switched on; the ERP was not told.",
  held: "A person decides whether the ERP is told.",
  prepared: "It is to be handed over.",
  delivered: "The inbox has it, and the ERP has not answered.",
  accepted: "The ERP accepted it.",
  refused: "The ERP refused it.",
  uncertain: "It is unknown whether the inbox has it.",
  withdrawn: "It is not handed over.",
};

/** Those that are not settled. */
export const openReturnStates: readonly ReturnState[] = [
  "blocked",
  "held",
  "prepared",
  "delivered",
  "refused",
  "uncertain",
];

/** What a return's state means for it. */
export function returnMeaning({ state, following }: Pick<StoredReturn, "state" | "following">): string {
  if (state !== "accepted" || following === undefined) return returnMeanings[state];
  return following === "done"
    ? "The ERP accepted it, and the service has the document number."
    : "The ERP accepted it; the document number is still to be written into the service.";
}

export function returnValue(value: ReturnValue): string {
  return value === null ? "" : String(value);
}

/** The columns of the lines of a report, in the order in which they appear. */
export function shownLineColumns({ lines }: ReturnContent): string[] {
  return [...new Set(lines.flatMap(({ fields }) => Object.keys(fields)))];
}

/** The amount of a line, with the one before where it has changed: `1.5 (before: 2)`. */
export function lineAmount({ amount, amountBefore, change }: ReturnLine): string {
  const now = amount ?? "";
  return (change === "changed" || change === "removed") && amountBefore !== amount
    ? `${now} (before: ${amountBefore ?? "none"})`
    : now;
}
