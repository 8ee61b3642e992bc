import type { Change, Key, ParkError, StreamName } from "#model";
import type { SourceStream } from "#sources";
import type { IntakeStore } from "#store";
import { screen } from "./quarantine.ts";
import { readByKey } from "./read-by-key.ts";

/** Records that are read and staged at once. */
const STAGED_AT_ONCE = 500;

/** What became of records that were read by their keys. */
export interface StagedByKey {
  readonly changed: number;
  /** Keys that the ERP does not have. */
  readonly missing: readonly Key[];
  /** Records that the ERP would not show, or that cannot be read: they may be there. */
  readonly refused: readonly { readonly key: Key; readonly error: ParkError }[];
}

/**
 * Reads records by their keys and stages those that are there; with `deleteMissing` those that are not there as deleted. A
 * record that a poll changed between the read and its staging keeps what the poll brought.
 */
export async function stageByKey(
  store: IntakeStore,
  source: { readonly stream: StreamName; readonly reads: Pick<SourceStream, "readOne" | "readMany"> },
  keys: readonly Key[],
  { signal, deleteMissing = false }: { readonly signal: AbortSignal; readonly deleteMissing?: boolean },
): Promise<StagedByKey> {
  const { stream, reads } = source;
  const missing: Key[] = [];
  const refused: { key: Key; error: ParkError }[] = [];
  let changed = 0;
  for (let at = 0; at < keys.length; at += STAGED_AT_ONCE) {
    const { sequence: since } = await store.cursor(stream);
    const changes: Change[] = [];
    for await (const read of readByKey(reads, keys.slice(at, at + STAGED_AT_ONCE), signal)) {
      const { key, row } = read;
      if (read.refused) refused.push({ key, error: read.refused });
      else if (row !== undefined) changes.push({ kind: "upsert", key, row });
      else missing.push(key);
      if (row === undefined && !read.refused && deleteMissing) changes.push({ kind: "delete", key });
    }
    if (changes.length === 0) continue;
    changed += (await store.stageRead(stream, { ...screen(stream, { changes }), since })).changed;
  }
  return { changed, missing, refused };
}
