import type { Actor, StreamName } from "#model";
import { pollNote } from "#pipeline";
import type { ActStore, NoteStore } from "#store";

/** Has the running daemon poll the streams within a second; without one, the next that starts. */
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
