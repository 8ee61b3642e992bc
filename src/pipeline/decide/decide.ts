import type { Stream } from "#mapping";
import { forgottenError, isForgotten } from "#store";
import { expectUntaken, theOne } from "../match/candidates.ts";
import { ABSENT, absentReason } from "../match/absent.ts";
import { takenBy } from "../counterpart/merges.ts";
import type { Wanted } from "../wanted/resolver.ts";
import type { Action } from "./action.ts";
import { decideDeletion } from "./deletion.ts";
import type { Bound, Deliverable, Knowledge } from "./knowledge.ts";
import {
  expectDecided,
  expectReadable,
  expectSameResource,
  isBound,
  isInterrupted,
  looksFirst,
} from "./preconditions.ts";

/**
 * Decides what a delivery does with a record: the one place for it, with the knowledge of the one who asks. Writes nothing.
 * @throws {ParkError} when the row cannot be read or mapped, or when a person has to decide.
 * @throws {WaitError} E_PARENT_MISSING when a parent is not bound yet, E_MATCH_TAKEN, E_CHILDREN_FIRST, and as the knowledge does.
 */
export async function decide<R extends Deliverable>(
  record: R,
  stream: Stream,
  knowledge: Knowledge<R>,
  signal: AbortSignal,
): Promise<Action> {
  expectSameResource(record, stream);
  if (record.intent) return { kind: "settle", intent: record.intent };
  if (isForgotten(record)) return { kind: "skip", reason: forgottenError.message };
  expectReadable(record);
  const mapped = await stream.map(record.row, record.deleted);
  if (mapped.kind === "skip") return { kind: "skip", reason: mapped.reason };
  if (mapped.kind === "deleted") return decideDeletion(record, stream, mapped, knowledge, signal);
  expectDecided(record);
  const wanted = await knowledge.resolver.resolve(record.id, mapped.fields, signal);
  knowledge.noteWanted?.(wanted);
  if (isInterrupted(record)) return { kind: "finishDeletion", wanted };
  return isBound(record)
    ? decideBound(record, wanted, knowledge, signal)
    : decideUnbound(record, stream, wanted, knowledge, signal);
}

async function decideBound<R extends Deliverable>(
  record: Bound<R>,
  wanted: Wanted,
  knowledge: Knowledge<R>,
  signal: AbortSignal,
): Promise<Action> {
  const { id, binding, applied } = record;
  const to = await knowledge.mergedTo(binding);
  if (to !== undefined) return { kind: "rebind", to, wanted, taken: await takenBy(knowledge, id, binding, to) };
  if (!applied) return { kind: "compare", wanted };
  const edited = await knowledge.edited(record, applied, wanted, signal);
  if (!edited) return { kind: "gone", wanted };
  return { kind: edited.change ? "update" : "unchanged", wanted, edited };
}

/** Decides about a record that is not bound, or not any more. */
export async function decideUnbound<R extends Deliverable>(
  record: R,
  stream: Stream,
  wanted: Wanted,
  knowledge: Knowledge<R>,
  signal: AbortSignal,
): Promise<Action> {
  const { projection } = wanted;
  const isNever = stream.create === "never";
  if (!isNever && !looksFirst(record, stream)) return { kind: "create", wanted };
  const found = await knowledge.match(record, stream, wanted, !isNever, signal);
  const serviceId = theOne(stream, found);
  if (serviceId !== undefined) return { kind: "adopt", serviceId, found, wanted };
  if (isNever) return { kind: "skip", reason: absentReason(stream, projection, found), code: ABSENT };
  await expectUntaken(knowledge, record.id, stream.resource, projection, found);
  knowledge.noteCreate?.(record, stream, projection);
  return { kind: "create", wanted };
}

/** Decides whether another record of the service takes the place of the one that is gone; undefined if there is none. */
export async function decideOther<R extends Deliverable>(
  record: R,
  stream: Stream,
  wanted: Wanted,
  knowledge: Knowledge<R>,
  signal: AbortSignal,
): Promise<Action | undefined> {
  const found = await knowledge.match(record, stream, wanted, false, signal);
  const serviceId = theOne(stream, found);
  return serviceId === undefined ? undefined : { kind: "adopt", serviceId, found, wanted };
}
