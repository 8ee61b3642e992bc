import { contentHash, isAscending, type Change, type ErrorFacts, type Key, type Row } from "#model";
import type { Unreadable } from "./facts.ts";

/** A poll's news about one record, with its content hash. The hash is made before the transaction, which keeps the transaction short. */
export interface News {
  readonly key: Key;
  readonly hash: string;
  readonly deleted: boolean;
  /** Absent if the last row is kept, because the record was deleted or cannot be read. */
  readonly row?: Row;
  readonly unreadable?: ErrorFacts;
}

/** The last news for each key. */
export function latestOfEach(changes: readonly Change[], unreadable: readonly Unreadable[]): News[] {
  if (unreadable.length === 0 && isAscending(changes.map(({ key }) => key))) return changes.map(newsOf);
  const latest = new Map<Key, Change | Unreadable>();
  for (const change of changes) latest.set(change.key, change);
  for (const row of unreadable) latest.set(row.key, row);
  return Array.from(latest.values(), newsOf);
}

function newsOf(one: Change | Unreadable): News {
  const { key } = one;
  // No content has this hash: a row that becomes readable again is a change, even if its content is the same as before.
  if ("error" in one) return { key, hash: `unreadable: ${one.error.message}`, deleted: false, unreadable: one.error };
  const hash = contentHash(one);
  return one.kind === "delete" ? { key, hash, deleted: true } : { key, hash, deleted: false, row: one.row };
}
