import type { Stream } from "#mapping";
import { counted, type Actor, ParkError } from "#model";
import { confirmChange, confirmMail, confirmMassChange } from "#pipeline";
import type { ActStore, NoteStore } from "#store";
import type { StreamPlan } from "../plan/stream-plan.ts";
import { defineAct } from "./act.ts";
import { textInput } from "./inputs.ts";

export const planAct = defineAct({
  name: "plan",
  target: "stream",
  needs: "daemon",
  help: "Release what the change guard, the mass-change guard or the mail guard holds",
  input: { plan: textInput },
  inputHelp: "`plan`, the id of the plan to confirm; any other id is refused (E_PLAN_OUTDATED)",
  isFinal: true,
  audit: "plan",
  async run({ store, streams, planNow }, { target, input: { plan: id } }, by) {
    return heldCount(await confirmPlan({ store }, { id, plans: [await planNow(target)], streams }, by));
  },
  answer: (updates, common) => ({ ...common, updates }),
  bulk: {
    count: (updates) => updates,
    asked: (updates) => updates,
    said: (count, _, stream) => `${counted(count, "update")} of ${stream} ${count === 1 ? "was" : "were"} released.`,
  },
  page: "own",
  command: "plan --confirm",
});

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
