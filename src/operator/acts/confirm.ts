import type { Stream } from "#mapping";
import { type Actor, ParkError, type StreamName } from "#model";
import { confirmChange, confirmDeletions as confirm, confirmMail, confirmMassChange, heldDeletions } from "#pipeline";
import type { ActStore, NoteStore, OperatorStore, RecordStore, Store } from "#store";
import type { StreamPlan } from "../plan/stream-plan.ts";

/**
 * Confirms the updates of a plan that the change guard or the mass-change guard holds: the daemon, or the next sync, writes them.
 * @param plans what would be written now.
 * @throws {ParkError} E_PLAN_OUTDATED when no stream would be written by this plan now.
 */
export async function confirmPlan(
  { store }: { readonly store: { readonly acts: ActStore } & NoteStore },
  {
    id,
    plans,
    streams,
  }: { readonly id: string; readonly plans: readonly StreamPlan[]; readonly streams: readonly Stream[] },
  by: Actor,
): Promise<StreamPlan> {
  const meant = plans.find(({ plan }) => plan === id);
  const stream = streams.find(({ name }) => name === meant?.stream);
  if (!meant || !stream) throw outdated(id, plans);
  const { known, massHeld, mailHeld } = meant;
  const updates = heldCount(meant);
  await store.acts.save(stream.name, { action: "plan", outcome: `confirmed plan ${id}: ${updates} of ${known}` }, by);
  if (mailHeld !== undefined) await confirmMail(store, stream.name, id);
  else if (massHeld !== undefined) await confirmMassChange(store, stream.name, id);
  else await confirmChange(store, stream.name, { fingerprint: stream.fingerprint, updates });
  return meant;
}

/** How many records a confirmation of the plan concerns. */
export function heldCount({ mailHeld, massHeld, updates }: StreamPlan): number {
  return mailHeld ?? massHeld ?? updates;
}

function outdated(id: string, plans: readonly StreamPlan[]): ParkError {
  const now = plans.flatMap((each) =>
    each.plan === undefined ? [] : [`${each.plan} (${each.stream}, ${heldCount(each)} updates)`],
  );
  const wanted = now.length === 0 ? "nothing waits for a confirmation" : `the plan is now ${now.join(", ")}`;
  return new ParkError(
    "E_PLAN_OUTDATED",
    `plan ${id} is not what would be written now: ${wanted}. Nothing was confirmed`,
  );
}

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
