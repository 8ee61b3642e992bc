import { recordName, type Key, type RecordId, type StreamName } from "#model";
import type { SourceStream } from "#sources";
import type { IntakeStore, RecordStore } from "#store";
import type { Logger } from "#telemetry";
import { stageByKey } from "./stage-by-key.ts";

export interface ChildrenDeps {
  readonly store: IntakeStore & Pick<RecordStore, "record" | "children">;
  readonly sources: ReadonlyMap<StreamName, SourceStream>;
  readonly logger: Logger;
}

/**
 * Reads the children of records that the ERP deleted again, by their keys, and stages what changed. An ERP that merges two customers
 * hands the documents of one to the other before it deletes it, and Odoo does so without moving the documents' stamps, so that no poll would
 * see it. What the store already knows to be deleted is passed over, because polls show it again. Call it before the deletions are staged:
 * then a crash in between only repeats it. Returns how many records changed.
 * @throws any error that does not concern single records. The deletions must then wait.
 */
export async function stageChildrenOfDeleted(
  { store, sources, logger }: ChildrenDeps,
  stream: StreamName,
  keys: readonly Key[],
  signal: AbortSignal,
): Promise<number> {
  const gone = new Set(keys.map((key) => recordName({ stream, key })));
  const children = new Map<string, RecordId>();
  for (const key of keys) {
    const parent = { stream, key };
    if ((await store.record(parent))?.deleted !== false) continue;
    for (const child of [...(await store.children(parent, "bound")), ...(await store.children(parent, "waiting"))])
      if (!gone.has(recordName(child))) children.set(recordName(child), child);
  }
  const ofStream = Map.groupBy(children.values(), (child) => child.stream);
  let changed = 0;
  for (const [of, ids] of ofStream) {
    const reads = sources.get(of);
    if (reads === undefined) continue;
    const some = ids.map(({ key }) => key);
    const read = await stageByKey(store, { stream: of, reads }, some, { signal });
    changed += read.changed;
    const [first] = read.refused;
    if (first)
      logger.warn(
        { stream: of, count: read.refused.length, key: first.key, err: first.error },
        "children of deleted records were not read again",
      );
  }
  return changed;
}
