import type { Change, Key, StreamName } from "#model";
import type { SourceStream } from "#sources";
import type { IntakeStore } from "#store";
import { screen } from "./quarantine.ts";
import { readByKey } from "./read-by-key.ts";

/** Records that are read and staged at once. */
export const STAGED_AT_ONCE = 500;

/** Reads rows that no poll saw by their keys, and stages those that are there; how many were staged. */
export async function stageByKey(
  store: IntakeStore,
  stream: StreamName,
  source: Pick<SourceStream, "readOne" | "readMany">,
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<number> {
  let staged = 0;
  for (let at = 0; at < keys.length; at += STAGED_AT_ONCE) {
    const changes: Change[] = [];
    for await (const { key, row } of readByKey(source, keys.slice(at, at + STAGED_AT_ONCE), signal))
      if (row !== undefined) changes.push({ kind: "upsert", key, row });
    staged += await stageChanges(store, stream, changes);
  }
  return staged;
}

/** Stages what was read beside the polls: their cursor stays where it is. */
export async function stageChanges(
  store: IntakeStore,
  stream: StreamName,
  changes: readonly Change[],
): Promise<number> {
  if (changes.length === 0) return 0;
  const { cursor } = await store.cursor(stream);
  const screened = screen(stream, { changes, cursor });
  return (await store.stage(stream, { ...screened, cursor, backfill: false, complete: true })).changed;
}
