import type { Change, Cursor, UnreadableRow } from "#model";
import type { SourceStream } from "#sources";

interface NextRows {
  readonly changes: readonly Change[];
  /** Rows that the poll would park; empty where a source shows its changes alone. */
  readonly unreadable: readonly UnreadableRow[];
}

/** Up to `count` changes that a poll from `cursor` would find. It leaves no trace in the ERP, whatever the adapter. */
export async function nextRows(
  source: SourceStream,
  cursor: Cursor | null,
  count: number,
  signal: AbortSignal,
): Promise<NextRows> {
  if (source.peek) return { changes: await source.peek(cursor, count, signal), unreadable: [] };
  const changes: Change[] = [];
  const unreadable: UnreadableRow[] = [];
  for await (const batch of source.changes(cursor, signal)) {
    changes.push(...batch.changes.slice(0, count - changes.length));
    unreadable.push(...(batch.unreadable ?? []));
    if (changes.length >= count) break;
  }
  return { changes, unreadable };
}
