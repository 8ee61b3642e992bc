import type { Actor, StreamName } from "#model";
import { confirmChange as confirm, type PlannedChange } from "#pipeline";
import type { ActStore, NoteStore } from "#store";

/** Says that the updates by a changed mapping that the guard holds are meant: the daemon, or the next sync, writes them. */
export async function confirmChange(
  { store }: { readonly store: { readonly acts: ActStore } & NoteStore },
  {
    stream,
    fingerprint,
    change,
  }: {
    readonly stream: StreamName;
    /** Of the mapping that the plan is about. */
    readonly fingerprint: string;
    readonly change: PlannedChange;
  },
  by: Actor,
): Promise<void> {
  const outcome = `confirmed plan ${change.id}: ${change.updates} of ${change.known}`;
  await store.acts.save(stream, { action: "plan", outcome }, by);
  await confirm(store, stream, { fingerprint, updates: change.updates });
}
