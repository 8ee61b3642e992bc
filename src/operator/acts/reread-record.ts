import { type Actor, type Key, ParkError, recordLabel, type StreamName } from "#model";
import { stageByKey } from "#pipeline";
import type { SourceStream } from "#sources";
import type { ActStore, IntakeStore } from "#store";
import { defineAct } from "./act.ts";

export const rereadRecordAct = defineAct({
  name: "reread",
  target: "record",
  needs: "systems",
  help: "Read a record from the ERP now",
  audit: "reread",
  wakes: "deliveries",
  async run({ store, sources }, { target, signal }, by) {
    const { stream, key } = target;
    const source = sources.streams.get(stream);
    if (source === undefined) throw new ParkError("E_RECORD_UNKNOWN", `${stream} is not in the sync file`);
    const { missing } = await rereadKeys({ store, source }, { stream, keys: [key], signal }, by);
    if (missing.length > 0) throw new ParkError("E_NOT_RESOLVABLE", `the ERP does not have ${recordLabel(target)}`);
  },
  forms: () => [{ label: "Read it from the ERP again", means: "Reads the row now; it is delivered if it changed." }],
  command: "reread",
});

export interface Reread {
  readonly changed: number;
  readonly unchanged: number;
  /** Keys that the ERP does not have. */
  readonly missing: readonly Key[];
}

/**
 * Reads these records of the ERP now.
 * @throws {ParkError} E_NOT_RESOLVABLE while the first load is not complete.
 */
export async function rereadKeys(
  { store, source }: { readonly store: { readonly acts: ActStore } & IntakeStore; readonly source: SourceStream },
  {
    stream,
    keys,
    signal,
  }: { readonly stream: StreamName; readonly keys: readonly Key[]; readonly signal: AbortSignal },
  by: Actor,
): Promise<Reread> {
  if ((await store.stream(stream)).firstLoad)
    throw new ParkError("E_NOT_RESOLVABLE", `the first load of ${stream} is not complete: it reads every row`);
  await store.acts.save(stream, { action: "reread", outcome: keys.join(", ") }, by);
  const { changed, missing, refused } = await stageByKey(store, { stream, reads: source }, keys, { signal });
  const [first] = refused;
  if (first !== undefined) throw first.error;
  return { changed, unchanged: keys.length - changed - missing.length, missing };
}
