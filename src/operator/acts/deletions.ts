import { counted, type Actor, ParkError, type StreamName } from "#model";
import { confirmDeletions as confirm, heldDeletions } from "#pipeline";
import type { NoteStore, OperatorStore, RecordStore, Store } from "#store";
import { defineAct } from "./act.ts";
import { whole } from "./inputs.ts";

/** Confirms the deletions that the guard holds, if there are still as many as the person saw. */
export const deletionsAct = defineAct({
  name: "deletions",
  target: "stream",
  needs: "store",
  help: "Execute the deletions that the deletion guard holds",
  input: { count: whole(0) },
  inputHelp: "`count`, the expected number of deletions; any other number is refused",
  isFinal: true,
  audit: "deletions",
  wakes: "deliveries",
  run: (systems, { target: stream, input: { count } }, by) => confirmDeletions(systems, { stream, count }, by),
  bulk: {
    count: (_, { count }) => count,
    asked: (_, { count }) => count,
    said: (count, _, stream) => `${counted(count, "deletion")} of ${stream} ${count === 1 ? "was" : "were"} confirmed.`,
  },
  page: "own",
  command: "deletions --confirm",
});

/**
 * Confirms the deletions that the guard holds: these are carried out, and no others.
 * @param count how many the person saw.
 * @throws {ParkError} E_NOT_RESOLVABLE when a different number is held now.
 */
export async function confirmDeletions(
  { store }: { readonly store: Pick<Store, "acts" | "clock"> & OperatorStore & RecordStore & NoteStore },
  { stream, count }: { readonly stream: StreamName; readonly count: number },
  by: Actor,
): Promise<void> {
  // Deletions that arrive while these are counted are not included.
  const at = store.clock.now();
  const held = await heldDeletions(store, stream);
  if (held?.count !== count)
    throw new ParkError(
      "E_NOT_RESOLVABLE",
      `${held?.count ?? 0} deletions of ${stream} are held now, but you confirmed ${count}: check them again`,
    );
  await store.acts.save(stream, { action: "deletions", outcome: `confirmed ${count} of ${held.known}` }, by);
  await confirm(store, stream, held, at);
}
