import type { Deletion, Stream } from "#mapping";
import { ParkError, type RecordId } from "#model";
import { isRefusal } from "#service";
import { edited } from "../wanted/difference.ts";
import { ParentMissing } from "../wanted/resolver.ts";
import { theOne } from "../match/candidates.ts";
import { notDeleted } from "../counterpart/merged-error.ts";
import { takenBy } from "../counterpart/merges.ts";
import type { Action } from "./action.ts";
import type { Bound, Deliverable, Knowledge } from "./knowledge.ts";
import { isBound, leavesService, wasUnbound } from "./preconditions.ts";

/** Decides about a record that the ERP deleted. */
export async function decideDeletion<R extends Deliverable>(
  record: R,
  stream: Stream,
  deletion: Deletion,
  knowledge: Knowledge<R>,
  signal: AbortSignal,
): Promise<Action> {
  const sought = isBound(record) || wasUnbound(record) ? undefined : await seek(record, stream, knowledge, signal);
  if (sought) return { ...sought, deletion };
  if (!isBound(record) || leavesService(record, deletion)) return { kind: "leave" };
  await knowledge.expectAllowed?.(record);
  if (deletion.policy !== "set") return decideRemoval(record, knowledge, signal);
  const { id, binding, applied = {}, inFlight } = record;
  const to = await knowledge.mergedTo(binding);
  if (to !== undefined)
    return { kind: "rebindDeleted", to, deletion, taken: await takenBy(knowledge, id, binding, to) };
  const wanted = await knowledge.resolver.resolve(id, deletion.fields, signal);
  return { kind: "setFields", deletion, wanted, edited: edited(applied, inFlight?.fields, wanted) };
}

async function decideRemoval<R extends Deliverable>(
  record: Bound<R>,
  knowledge: Knowledge<R>,
  signal: AbortSignal,
): Promise<Action> {
  const { id, binding, inFlight } = record;
  await knowledge.expectChildless(record, signal);
  if (inFlight?.kind === "deletion") return { kind: "delete" };
  const to = await knowledge.mergedNow(binding, signal);
  if (to !== undefined) return { kind: "endMerged", to, taken: await takenBy(knowledge, id, binding, to) };
  const former = await knowledge.mergedBefore(record, signal);
  if (former !== undefined) throw notDeleted({ ...binding, serviceId: former }, binding.serviceId);
  return { kind: "delete" };
}

/**
 * Looks for a record that the ERP deleted and that has no binding. It may still exist in the service: the store was lost, or another program
 * wrote it. Once it is bound, its deletion is carried out and its children find it.
 * @throws {ParkError} E_MATCH_AMBIGUOUS when several records match.
 */
async function seek<R extends Deliverable>(
  record: R,
  stream: Stream,
  knowledge: Knowledge<R>,
  signal: AbortSignal,
): Promise<Extract<Action, { kind: "adopt" }> | undefined> {
  if (stream.match.length === 0) return undefined;
  try {
    const wanted = await knowledge.resolver.resolve(record.id, await stream.identify(record.row), signal);
    const found = await knowledge.match(record, stream, wanted, false, signal);
    const serviceId = theOne(stream, found);
    return serviceId === undefined ? undefined : { kind: "adopt", serviceId, found, wanted };
  } catch (thrown) {
    if (provesAbsent(thrown)) return undefined;
    if (thrown instanceof ParentMissing && (await areLost(thrown.missing, knowledge))) return undefined;
    throw thrown;
  }
}

/** Whether an error shows that the service cannot have a deleted record: it has no natural key, or the ticket that is left is another one's. */
export function provesAbsent(thrown: unknown): boolean {
  // A refused look is no answer: it may come from a gateway.
  return thrown instanceof ParkError && thrown.code !== "E_MATCH_AMBIGUOUS" && !isRefusal(thrown);
}

/** Whether the service does not have the parents, and thus none of their children. */
async function areLost<R extends Deliverable>(parents: readonly RecordId[], knowledge: Knowledge<R>): Promise<boolean> {
  for (const id of parents) {
    const parent = await knowledge.recordNow(id);
    if (parent?.state === "deleted" || parent?.state === "skipped") return true;
    if (!parent && !(await knowledge.cursor(id.stream)).firstLoad) return true;
  }
  return false;
}
