/**
 * What the next run does with a record.
 * `adopt`: binds it to an existing record of the service and writes what differs.
 * `settle`: first asks the service what became of a create that was begun.
 * `unchanged`: delivers it without a request.
 */
export const VERDICTS = ["create", "adopt", "update", "delete", "settle", "park", "wait", "skip", "unchanged"] as const;

export type Verdict = (typeof VERDICTS)[number];

/** Verdicts that change the service, or what a person has to do. */
export const CHANGES: ReadonlySet<Verdict> = new Set(["create", "adopt", "update", "delete", "settle", "park"]);

/** Whether the delivery changes anything, in the service or for a person. */
export function isChange({ verdict }: { readonly verdict: Verdict }): boolean {
  return CHANGES.has(verdict);
}
