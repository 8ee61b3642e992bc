import type { Stream } from "#mapping";
import { type Actor, type Clock, ParkError, type StreamName } from "#model";
import { confirmChange, confirmDeletions as confirm, type HeldDeletions } from "#pipeline";
import type { ActStore, NoteStore, OperatorStore } from "#store";
import type { StreamPlan } from "../plan/stream-plan.ts";

/**
 * Says that the updates of this plan, which the change guard holds, are meant: the daemon, or the next sync, writes them.
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
  const { updates, known } = meant;
  await store.acts.save(stream.name, { action: "plan", outcome: `confirmed plan ${id}: ${updates} of ${known}` }, by);
  await confirmChange(store, stream.name, { fingerprint: stream.fingerprint, updates });
  return meant;
}

function outdated(id: string, plans: readonly StreamPlan[]): ParkError {
  const now = plans.flatMap(({ stream, plan, updates }) =>
    plan === undefined ? [] : [`${plan} (${stream}, ${updates} updates)`],
  );
  const wanted = now.length === 0 ? "no mapping is waiting to be delivered" : `the plan is now ${now.join(", ")}`;
  return new ParkError(
    "E_PLAN_OUTDATED",
    `plan ${id} is not what would be written now: ${wanted}. Nothing was confirmed`,
  );
}

/** Says that the deletions that the guard holds are meant: these are carried out, and no others. */
export async function confirmDeletions(
  { store, clock }: { readonly store: { readonly acts: ActStore } & OperatorStore & NoteStore; readonly clock: Clock },
  { stream, held }: { readonly stream: StreamName; readonly held: HeldDeletions },
  by: Actor,
): Promise<void> {
  await store.acts.save(stream, { action: "deletions", outcome: `confirmed ${held.count} of ${held.known}` }, by);
  await confirm(store, stream, held, clock.now());
}
