import type { Change, Cursor } from "#model";
import type { SourceStream } from "#sources";

/** Up to `count` changes that a poll from `cursor` would find. It leaves no trace in the ERP, whatever the adapter. */
export async function nextChanges(
  source: SourceStream,
  cursor: Cursor | null,
  count: number,
  signal: AbortSignal,
): Promise<readonly Change[]> {
  if (source.peek) return source.peek(cursor, count, signal);
  const changes: Change[] = [];
  for await (const batch of source.changes(cursor, signal)) {
    changes.push(...batch.changes.slice(0, count - changes.length));
    if (changes.length >= count) break;
  }
  return changes;
}
