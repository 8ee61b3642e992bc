import type { Change, ChangeBatch, Clock, Cursor, Key } from "#model";
import type { OpenContext } from "../../src/sources/adapter.ts";
import type { SourceStream } from "../../src/sources/source.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";

export function openContext(clock: Clock): OpenContext {
  return { name: "erp", clock, logger: silentLogger };
}

export interface Poll {
  readonly batches: readonly ChangeBatch[];
  readonly changes: readonly Change[];
  readonly keys: readonly Key[];
  readonly cursor: Cursor;
}

/** Reads a poll to its end. */
export async function poll(stream: SourceStream, cursor: Cursor | null = null): Promise<Poll> {
  const batches: ChangeBatch[] = [];
  for await (const batch of stream.changes(cursor, never)) batches.push(batch);
  const changes = batches.flatMap((batch) => batch.changes);
  return { batches, changes, keys: changes.map(({ key }) => key), cursor: batches.at(-1)!.cursor };
}

export async function allKeys(stream: SourceStream): Promise<Key[]> {
  const keys: Key[] = [];
  for await (const some of stream.keys(never)) keys.push(...some);
  return keys;
}
