import { roughDuration, type ReturnStatus } from "#operator";

/** The table of streams of returns, which `status` shows too. */
export const returnHeads = [
  "back to the ERP",
  "state",
  "prepared",
  "unanswered",
  "for",
  "accepted",
  "refused",
  "held",
  "blocked",
  "uncertain",
];

export function returnRow({ name, state, counts, unansweredMs }: ReturnStatus): (string | number)[] {
  return [
    name,
    state,
    counts.prepared ?? 0,
    counts.delivered ?? 0,
    unansweredMs === undefined ? "" : roughDuration(unansweredMs),
    counts.accepted ?? 0,
    counts.refused ?? 0,
    counts.held ?? 0,
    counts.blocked ?? 0,
    counts.uncertain ?? 0,
  ];
}
