import type { Deletion, Stream } from "#mapping";
import { ParkError, type ServiceId } from "#model";
import type { RecordView } from "#store";
import type { Action } from "../decide/action.ts";
import { decide, decideUnbound } from "../decide/decide.ts";
import { unbound } from "../decide/preconditions.ts";
import type { Wanted } from "../wanted/resolver.ts";
import { notDeleted } from "../counterpart/merged-error.ts";
import { allFields, COMPARED, edit, FILLED, FOUND_DELETED, LEFT, withItself, type Draft } from "./drafts.ts";
import type { PendingIds } from "./pending-ids.ts";
import type { PlannedKnowledge } from "./planned-knowledge.ts";

/** A record that is being planned, with the ids that only the run will know. */
export interface PlanJob {
  readonly view: RecordView;
  readonly stream: Stream;
  readonly knowledge: PlannedKnowledge;
  readonly ids: PendingIds;
  readonly signal: AbortSignal;
}

/**
 * Shows a decision, and what follows it in the same run.
 * @throws {ParkError} E_TICKET_MERGED when the ticket that is left is another record's, or would have to be deleted.
 */
export async function draftOf(action: Action, job: PlanJob): Promise<Draft> {
  const { view, ids } = job;
  const serviceId = view.binding?.serviceId;
  switch (action.kind) {
    case "settle":
      return settling(job);
    case "skip":
      return { verdict: "skip", reason: action.reason, ...(view.applied && { applied: view.applied }) };
    case "create":
    case "adopt":
      return created(action, job);
    case "finishDeletion":
      return recreated(action.wanted, serviceId!, job);
    case "compare":
      return compared(action.wanted, serviceId!, ids);
    case "update":
    case "unchanged": {
      const draft = edit("update", action.edited, ids);
      const isFilled = draft.fields?.some(({ field }) => action.wanted.emptyOnly.has(field));
      return { serviceId, ...draft, ...(isFilled && { reason: FILLED }) };
    }
    case "rebind":
      if (action.taken) throw action.taken;
      return compared(action.wanted, action.to, ids);
    case "gone":
      throw new ParkError("E_RECORD_GONE", `the service does not have ${view.binding?.resource} ${serviceId}`);
    case "leave":
    case "setFields":
    case "rebindDeleted":
    case "delete":
    case "endMerged":
      return removed(action, job);
  }
}

type Removal = Extract<Action, { kind: "leave" | "setFields" | "rebindDeleted" | "delete" | "endMerged" }>;

async function removed(action: Removal, { view, knowledge, ids, signal }: PlanJob): Promise<Draft> {
  const serviceId = view.binding?.serviceId;
  switch (action.kind) {
    case "leave":
      return LEFT;
    case "delete":
      return { verdict: "delete", serviceId };
    case "setFields":
      return { serviceId, ...edit("delete", action.edited, ids), state: "deleted" };
    case "endMerged":
      if (!action.taken) throw notDeleted(view.binding!, action.to);
      return LEFT;
    case "rebindDeleted": {
      if (action.taken) return LEFT;
      const { projection } = await knowledge.resolver.resolve(view.id, action.deletion.fields, signal);
      const fields = allFields(projection, ids);
      return { verdict: "adopt", serviceId: action.to, fields, state: "deleted", reason: COMPARED };
    }
  }
}

/** A create that was begun. Where a person has decided about its result, what follows is known. */
async function settling(job: PlanJob): Promise<Draft> {
  const { view, stream, knowledge, signal } = job;
  if (view.decision?.kind !== "create")
    return { verdict: "settle", reason: "a create was started; svcsync first finds out its result" };
  const settled = { ...view, intent: undefined };
  return draftOf(await decide(settled, stream, knowledge, signal), { ...job, view: settled });
}

async function created(action: Extract<Action, { kind: "create" | "adopt" }>, job: PlanJob): Promise<Draft> {
  const { view, stream, ids } = job;
  if (action.kind === "adopt" && action.deletion) return foundDeleted(action.deletion, action.serviceId, job);
  const applied = await withItself(view, stream, action.wanted, ids);
  const draft = { fields: allFields(applied, ids), applied };
  if (action.kind === "create") return { verdict: "create", ...draft };
  return { verdict: "adopt", serviceId: action.serviceId, ...draft, reason: COMPARED };
}

/** A deletion was begun before the ERP showed the record again. */
async function recreated(wanted: Wanted, deletes: ServiceId, job: PlanJob): Promise<Draft> {
  const { stream, knowledge, signal } = job;
  knowledge.deletes(deletes);
  const view = unbound(job.view);
  const action = await decideUnbound(view, stream, wanted, knowledge, signal);
  const draft = await draftOf(action, { ...job, view });
  return { ...draft, deletes, reason: "its deletion was started; svcsync finishes it first" };
}

/** What the service's record holds is compared, and only what differs is written. */
function compared({ projection }: Wanted, serviceId: ServiceId, ids: PendingIds): Draft {
  return { verdict: "adopt", serviceId, fields: allFields(projection, ids), applied: projection, reason: COMPARED };
}

/** The match of a deleted record that is not bound is bound, then removed. */
async function foundDeleted(
  deletion: Deletion,
  serviceId: ServiceId,
  { view, knowledge, ids, signal }: PlanJob,
): Promise<Draft> {
  const set =
    deletion.policy === "set" ? (await knowledge.resolver.resolve(view.id, deletion.fields, signal)).projection : {};
  return {
    verdict: deletion.policy === "ignore" ? "adopt" : "delete",
    serviceId,
    isBound: deletion.policy !== "delete",
    fields: allFields(set, ids),
    state: "deleted",
    reason: FOUND_DELETED,
  };
}
