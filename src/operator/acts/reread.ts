import { type Actor, type Key, ParkError, type StreamName } from "#model";
import { pollNote, rereadNote, stageByKey } from "#pipeline";
import type { SourceStream } from "#sources";
import type { ActStore, IntakeStore, NoteStore } from "#store";

/** Makes the next poll read the stream from its beginning. Unchanged rows cost no request to the service. */
export async function rereadStream(
  { store }: { readonly store: { readonly acts: ActStore } & NoteStore },
  stream: StreamName,
  by: Actor,
): Promise<void> {
  await store.acts.save(stream, { action: "reread", outcome: "from the beginning" }, by);
  await store.saveNote(rereadNote(stream), true);
}

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
  if ((await store.cursor(stream)).firstLoad)
    throw new ParkError("E_NOT_RESOLVABLE", `the first load of ${stream} is not complete: it reads every row`);
  await store.acts.save(stream, { action: "reread", outcome: keys.join(", ") }, by);
  const { changed, missing, refused } = await stageByKey(store, { stream, reads: source }, keys, { signal });
  const [first] = refused;
  if (first !== undefined) throw first.error;
  return { changed, unchanged: keys.length - changed - missing.length, missing };
}

/** Makes the running daemon poll the streams within a second; without one, the next daemon that starts. */
export async function pollNow(
  { store }: { readonly store: { readonly acts: ActStore } & NoteStore },
  streams: readonly StreamName[],
  by: Actor,
): Promise<void> {
  for (const stream of streams) {
    await store.acts.save(stream, { action: "poll", outcome: "now" }, by);
    await store.saveNote(pollNote(stream), true);
  }
}
