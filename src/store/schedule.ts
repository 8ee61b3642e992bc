import type { RecordId } from "#model";
import type { DueRecord } from "./facts.ts";

/** How many undelivered changes are examined, so that a backlog's age costs at most about 10 ms to read. */
export const AGED = 10_000;

/** The first due records across several streams. */
export function inTurn(
  rows: readonly (RecordId & { readonly due_at: number })[],
  limit: number,
  backfill: boolean,
): DueRecord[] {
  return rows
    .toSorted((a, b) => a.due_at - b.due_at)
    .slice(0, limit)
    .map(({ stream, key, due_at: dueAt }) => ({ id: { stream, key }, backfill, dueAt }));
}

/**
 * Due records that a deletion examines, at most, for a change that may be another deletion. Every delivery of a mass deletion asks; if
 * more records are due, they are delivered first.
 */
export const TOLD_BEFORE = 2_000;
