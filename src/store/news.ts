import { contentHash, isAscending, type Change, type ErrorFacts, type Key, type Row } from "#model";
import type { StageResult, Unreadable } from "./facts.ts";

/** Rows staged per step, which takes some tens of milliseconds if all have changed. A page of a poll has no more by default. */
const STAGED_AT_ONCE = 1_000;

/** A poll's news about one record, with its content hash. The hash is made before the transaction, which keeps the transaction short. */
export interface StoreChange {
  readonly key: Key;
  readonly hash: string;
  readonly deleted: boolean;
  /** Absent if the last row is kept, because the record was deleted or cannot be read. */
  readonly row?: Row;
  readonly unreadable?: ErrorFacts;
}

/**
 * Stages the last news of each key, in parts: a page may have 50,000 rows, and a single step would block others for seconds. The
 * cursor belongs to the last part, so that an interrupted batch is read again.
 */
export async function stageInParts(
  { changes, unreadable = [] }: { readonly changes: readonly Change[]; readonly unreadable?: readonly Unreadable[] },
  stage: (news: readonly StoreChange[], isLast: boolean) => Promise<StageResult>,
): Promise<StageResult> {
  const latest = latestOfEach(changes, unreadable);
  let [from, changed, unchanged] = [0, 0, 0];
  do {
    const news = latest.slice(from, from + STAGED_AT_ONCE).map(newsOf);
    from += STAGED_AT_ONCE;
    const part = await stage(news, from >= latest.length);
    changed += part.changed;
    unchanged += part.unchanged;
  } while (from < latest.length);
  return { changed, unchanged };
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
