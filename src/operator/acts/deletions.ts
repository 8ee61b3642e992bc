import type { Actor, Clock, StreamName } from "#model";
import { confirmDeletions as confirm, type HeldDeletions } from "#pipeline";
import type { ActStore, NoteStore, OperatorStore } from "#store";

/** Says that the deletions that the guard holds are meant: these are carried out, and no others. */
export async function confirmDeletions(
  { store, clock }: { readonly store: { readonly acts: ActStore } & OperatorStore & NoteStore; readonly clock: Clock },
  { stream, held }: { readonly stream: StreamName; readonly held: HeldDeletions },
  by: Actor,
): Promise<void> {
  await store.acts.save(stream, { action: "deletions", outcome: `confirmed ${held.count} of ${held.known}` }, by);
  await confirm(store, stream, held, clock.now());
}
