import { contentHash, isAscending, type Change, type ErrorFacts, type Key, type Row } from "#model";
import type { Unreadable } from "./facts.ts";

/** Rows whose hashes are made at once, which takes a few milliseconds. A page of a poll has no more by default. */
const HASHED_AT_ONCE = 1_000;

/** What a poll read. */
export interface News {
  readonly changes: readonly Change[];
  readonly unreadable?: readonly Unreadable[];
}

/** A poll's news about one record, with its content hash. The hash is made before the transaction, which keeps the transaction short. */
export interface StoreChange {
  readonly key: Key;
  readonly hash: string;
  readonly deleted: boolean;
  /** Absent if the last row is kept, because the record was deleted or cannot be read. */
  readonly row?: Row;
  readonly unreadable?: ErrorFacts;
}

/** The last news of each key, in parts, because a page may have 50,000 rows. There is at least one part. */
export function* newsInParts({ changes, unreadable = [] }: News): Generator<{ news: StoreChange[]; isLast: boolean }> {
  const latest = latestOfEach(changes, unreadable);
  let from = 0;
  do {
    const news = latest.slice(from, from + HASHED_AT_ONCE).map(newsOf);
    from += HASHED_AT_ONCE;
    yield { news, isLast: from >= latest.length };
  } while (from < latest.length);
}

function latestOfEach(changes: readonly Change[], unreadable: readonly Unreadable[]): readonly (Change | Unreadable)[] {
  if (unreadable.length === 0 && isAscending(changes.map(({ key }) => key))) return changes;
  const latest = new Map<Key, Change | Unreadable>();
  for (const change of changes) latest.set(change.key, change);
  for (const row of unreadable) latest.set(row.key, row);
  return [...latest.values()];
}

function newsOf(one: Change | Unreadable): StoreChange {
  const { key } = one;
  // No content has this hash: a row that becomes readable again is a change, even if its content is the same as before.
  if ("error" in one) return { key, hash: `unreadable: ${one.error.message}`, deleted: false, unreadable: one.error };
  const hash = contentHash(one);
  return one.kind === "delete" ? { key, hash, deleted: true } : { key, hash, deleted: false, row: one.row };
}
