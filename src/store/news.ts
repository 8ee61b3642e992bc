import { contentHash, isAscending, type Change, type ErrorFacts, type Key, type Row } from "#model";
import type { Unreadable } from "./facts.ts";

/** What a poll said of one record, with its content hash, which is made before the transaction so that the store is not held. */
export interface News {
  readonly key: Key;
  readonly hash: string;
  readonly deleted: boolean;
  /** Absent where the last row is kept: it was deleted, or cannot be read. */
  readonly row?: Row;
  readonly unreadable?: ErrorFacts;
}

/** The last news of each key. */
export function latestOfEach(changes: readonly Change[], unreadable: readonly Unreadable[]): News[] {
  if (unreadable.length === 0 && isAscending(changes.map(({ key }) => key))) return changes.map(newsOf);
  const latest = new Map<Key, Change | Unreadable>();
  for (const change of changes) latest.set(change.key, change);
  for (const row of unreadable) latest.set(row.key, row);
  return Array.from(latest.values(), newsOf);
}

function newsOf(one: Change | Unreadable): News {
  const { key } = one;
  // No content has this hash: a row that can be read again is a change, even if it is what it was before.
  if ("error" in one) return { key, hash: `unreadable: ${one.error.message}`, deleted: false, unreadable: one.error };
  const hash = contentHash(one);
  return one.kind === "delete" ? { key, hash, deleted: true } : { key, hash, deleted: false, row: one.row };
}
