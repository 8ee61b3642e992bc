import type { RecordId } from "#model";
import type { DueRecord } from "./facts.ts";

/** Undelivered changes that are looked at: however long the backlog is, its age costs some ten milliseconds at most. */
export const AGED = 10_000;

/** The first of the due records of several streams. */
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
