import { recordLabel, WaitError, type RecordId } from "#model";

/** Describes children that the ERP has not deleted, or whose deletion is still to come. */
export const STILL_BELOW = "still below it in the service";

/** The error of a deletion that waits for children. `what` describes them. */
export function childrenFirst(children: readonly RecordId[], what: string, afterMs?: number): WaitError {
  const labels = children.slice(0, 10).map(recordLabel);
  const more = afterMs === undefined ? {} : { afterMs };
  return new WaitError("E_CHILDREN_FIRST", `${what}: ${labels.join(", ")}`, { ...more, details: { children: labels } });
}
