import { ParkError, type Key, type Row } from "#model";
import type { SourceStream } from "#sources";

/** The result of a single read of a record. */
export interface ReadByKey {
  readonly key: Key;
  /** Undefined when the ERP does not have the record, or when its read was refused. */
  readonly row: Row | undefined;
  /** The ERP refused to show this record, or it cannot be read: it may be there. */
  readonly refused?: ParkError;
}

/**
 * Reads records by their keys: together where the source can, else one by one.
 * @throws whatever a read throws that does not concern the one record alone.
 */
export async function* readByKey(
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

/** Undefined where the source cannot, and when one row spoils the rest. */
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
