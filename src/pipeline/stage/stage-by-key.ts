import { ParkError, type Change, type Key, type Row, type StreamName } from "#model";
import type { SourceStream } from "#sources";
import type { IntakeStore } from "#store";
import { screen } from "./quarantine.ts";

/** How many records are read and staged together. */
const STAGED_AT_ONCE = 500;

/** What became of records that were read by their keys. */
export interface StagedByKey {
  readonly changed: number;
  /** Keys that the ERP does not have. */
  readonly missing: readonly Key[];
  /** Records that the ERP refused to show, or that cannot be read. They may exist. */
  readonly refused: readonly { readonly key: Key; readonly error: ParkError }[];
}

/**
 * Reads records by their keys and stages those that exist. With `deleteMissing`, stages the others as deleted. If a poll changed a
 * record between its read and its staging, the poll's version stays. The mass-change guard counts changes of bound records.
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
    const { sequence: since } = await store.stream(stream);
    const changes: Change[] = [];
    for await (const read of readByKey(reads, keys.slice(at, at + STAGED_AT_ONCE), signal)) {
      const { key, row } = read;
      if (read.refused) refused.push({ key, error: read.refused });
      else if (row !== undefined) changes.push({ kind: "upsert", key, row });
      else missing.push(key);
      if (row === undefined && !read.refused && deleteMissing) changes.push({ kind: "delete", key });
    }
    if (changes.length === 0) continue;
    changed += (await store.stageRead(stream, { ...screen(stream, { changes }), since, guarded: true })).changed;
  }
  return { changed, missing, refused };
}

/** The result of reading one record. */
interface ReadByKey {
  readonly key: Key;
  /** Undefined when the ERP does not have the record, or when its read was refused. */
  readonly row: Row | undefined;
  /** The ERP refused to show this record, or it cannot be read. It may exist. */
  readonly refused?: ParkError;
}

/**
 * Reads records by their keys, together if the source can, otherwise one by one.
 * @throws any error that does not concern one record alone.
 */
async function* readByKey(
  source: Pick<SourceStream, "readOne" | "readMany">,
  keys: readonly Key[],
  signal: AbortSignal,
): AsyncGenerator<ReadByKey> {
  const rows = await together(source, keys, signal);
  if (rows !== undefined) {
    for (const key of keys) yield { key, row: rows.get(key) };
    return;
  }
  for (const key of keys) {
    try {
      yield { key, row: await source.readOne(key, signal) };
    } catch (thrown) {
      if (!(thrown instanceof ParkError)) throw thrown;
      yield { key, row: undefined, refused: thrown };
    }
  }
}

/** Returns undefined if the source cannot read rows together, or if one row makes the read fail. */
async function together(
  source: Pick<SourceStream, "readMany">,
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Key, Row> | undefined> {
  try {
    return await source.readMany?.(keys, signal);
  } catch (thrown) {
    if (thrown instanceof ParkError) return undefined;
    throw thrown;
  }
}
