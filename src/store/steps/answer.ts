import type { Actor, Binding, RecordId } from "#model";
import { answerEntry, ANSWERS, decided, expectAnswerable, GONE, type OperatorDecision } from "../answers.ts";
import { alreadyBound, expectServiceId, SKIPPED_BY_PERSON, unknownRecord } from "../refusals.ts";
import { parseOptional } from "../rows/json-text.ts";
import { bindingOf } from "../rows/record-row.ts";
import { findOwner, saveBinding, type OwnerRow } from "../statements/bindings.ts";
import { forgetDeletion } from "../statements/deletions.ts";
import { audited } from "../statements/audit.ts";
import { endIntent } from "../statements/intents.ts";
import {
  findCarrying,
  findFormerParentsOf,
  findWaiting,
  forgetWaits,
  type ChildRow,
  type FormerParentRow,
} from "../statements/parents.ts";
import { answerRecord, findRecord, type ClaimableRow } from "../statements/records.ts";
import type { StatementCall } from "../statements/statement.ts";
import { forgetWritten } from "../statements/written.ts";
import { next } from "../transitions.ts";
import { leaveParents, wakeChildren, type FamilyChange } from "./family.ts";
import { forgetBinding } from "./binding.ts";
import type { FactRows, Step } from "./step.ts";

interface AnswerFacts {
  readonly record: ClaimableRow;
  readonly owner: OwnerRow;
  readonly former: FormerParentRow;
  readonly waiting: ChildRow;
  readonly carrying: ChildRow;
}

/**
 * A person's answer about a record. Gives whether children are still to be woken.
 * @throws {ParkError} E_STORE_VALUE when it binds to no service id.
 */
export function answer(
  id: RecordId,
  given: OperatorDecision,
  by: Actor | undefined,
  now: number,
): Step<AnswerFacts, boolean> {
  const { stream, key } = id;
  const binding = given.kind === "bind" ? given.binding : undefined;
  if (binding) expectServiceId(id, binding);
  const children = { stream, key, after: 0 };
  return {
    record: id,
    facts: {
      record: [findRecord({ stream, key })],
      owner: binding ? [findOwner({ ...binding })] : [],
      former: [findFormerParentsOf({ stream, key })],
      waiting: [findWaiting(children)],
      carrying: [findCarrying(children)],
    },
    decide(facts) {
      const [record] = facts.record;
      if (record === undefined) throw unknownRecord(id);
      const bound = bindingOf(record);
      const errorCode = parseOptional(record.error)?.code ?? null;
      expectAnswerable(id, given, { state: record.state, bound, errorCode });
      const named = binding ?? bound;
      const resource = named?.resource ?? record.intent_resource ?? "";
      const consequence = consequenceOf(id, given, { record, facts, isGone: errorCode === GONE, now });
      const state = next(record.state, ANSWERS[given.kind]);
      return {
        writes: [
          // A skip keeps an open create: if the ERP changes the record later, its result is looked for first.
          ...(given.kind === "skip" ? [] : [endIntent({ record: record.id })]),
          ...consequence.writes,
          ...audited(id, { ...answerEntry(given, resource, named), by }, now),
          answerRecord({
            record: record.id,
            state,
            dueAt: state === "due" ? now : null,
            error: state === "skipped" ? JSON.stringify(SKIPPED_BY_PERSON) : null,
            decision: decided(given, record.decision),
          }),
          forgetWaits({ child: record.id }),
        ],
        value: consequence.isMore === true,
        touches: consequence.touches,
      };
    },
  };
}

interface Answered {
  readonly record: ClaimableRow;
  readonly facts: FactRows<AnswerFacts>;
  readonly isGone: boolean;
  readonly now: number;
}

function consequenceOf(id: RecordId, given: OperatorDecision, answered: Answered): FamilyChange {
  const { record, facts, isGone, now } = answered;
  if (given.kind === "bind") return bound(id, given.binding, answered);
  const forgotten = forgetDeletion({ record: record.id });
  if (given.kind === "skip") {
    const woken = wakeChildren(record.id, { who: "waits", found: facts.waiting }, now);
    return { ...woken, writes: [forgotten, ...woken.writes] };
  }
  if (given.kind === "create" && !isGone) return { writes: [], touches: [] };
  const leaving = leaveParents(
    facts.former.filter((parent) => parent.id !== record.id),
    now,
  );
  return {
    writes: [forgotten, ...forgetBinding(record.id, facts.former.length > 0), ...leaving.writes],
    touches: leaving.touches,
  };
}

function bound(id: RecordId, binding: Binding, { record, facts, now }: Answered): FamilyChange {
  const { resource, serviceId } = binding;
  const [owner] = facts.owner;
  if (owner !== undefined && owner.id !== record.id) throw alreadyBound(id, binding, owner);
  const isMoved = owner === undefined;
  const woken = wakeChildren(record.id, { who: "waits", found: facts.waiting }, now);
  const moved = wakeChildren(record.id, { who: "parents", found: isMoved ? facts.carrying : [] }, now);
  // What was written to the old record of the service does not apply to the new one.
  const binds: readonly StatementCall[] = isMoved
    ? [saveBinding({ record: record.id, resource, serviceId }), forgetWritten({ record: record.id })]
    : [];
  return {
    writes: [...binds, ...woken.writes, ...moved.writes],
    touches: [`${resource} ${serviceId}`, ...woken.touches, ...moved.touches],
    isMore: woken.isMore === true || moved.isMore === true,
  };
}
