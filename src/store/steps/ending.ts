import { recordName, type ErrorFacts, type RecordId } from "#model";
import type { Applied, AuditEntry, Claim, Ending, Parents } from "../claim.ts";
import { alreadyBound, expectServiceId, leftOut, refused } from "../refusals.ts";
import { storedInFlight } from "../rows/in-flight.ts";
import { audited } from "../statements/audit.ts";
import { findOwner, saveBinding, type OwnerRow } from "../statements/bindings.ts";
import { endDeletion, forgetDeletion } from "../statements/deletions.ts";
import { freeNames } from "../statements/fence.ts";
import { endIntent } from "../statements/intents.ts";
import { addMatchKey, forgetMatchKeys, saveMatch } from "../statements/matches.ts";
import {
  addWait,
  findCarrying,
  findFormerParents,
  findWaiting,
  forgetWaits,
  type ChildRow,
  type FormerParentRow,
  type ParentRow,
} from "../statements/parents.ts";
import { saveNextState, type HeldRow } from "../statements/records.ts";
import type { StatementCall } from "../statements/statement.ts";
import { saveWritten } from "../statements/written.ts";
import { next } from "../transitions.ts";
import { forgetCounterpart } from "./binding.ts";
import { expectHeld, held, numberOf } from "./claim.ts";
import {
  addParents,
  distinct,
  findParents,
  isOutdated,
  leaveParents,
  setParents,
  wakeChildren,
  type FamilyChange,
} from "./family.ts";
import type { FactRows, Step } from "./step.ts";

interface EndFacts {
  readonly held: HeldRow;
  /** The parents that the ending names, as far as they matter. */
  readonly parents: ParentRow;
  readonly optional: ParentRow;
  /** Those whose ids the last projection carried. */
  readonly former: FormerParentRow;
  readonly owner: OwnerRow;
  readonly waiting: ChildRow;
  readonly carrying: ChildRow;
}

/** The woken records, and whether others are still to be woken. */
export interface Woken {
  readonly woken: readonly RecordId[];
  readonly isMore: boolean;
}

/** What an ending means for its record and for others. */
interface Outcome {
  /** Deliveries that failed; 0 unless given. */
  readonly attempts?: number;
  readonly error?: ErrorFacts;
  /** When the record is due again; ignored unless the next state can become due. */
  readonly dueAt?: number | undefined;
  /** The event that follows the step at once, in the same transaction. */
  readonly followedBy?: "change" | "parentBound" | undefined;
  /** Written before the claim ends. */
  readonly stored?: readonly StatementCall[];
  readonly family?: readonly FamilyChange[];
  readonly touches?: readonly string[];
}

/** The endings that carry out an operator's answer `create`. */
const ANSWERED: ReadonlySet<Ending["kind"]> = new Set(["bind", "apply", "skip", "remove"]);

/** Ends a claim. @throws {ParkError} E_STORE_VALUE when it binds to what is no service id. */
export function endClaim(claim: Claim, ending: Ending, now: number): Step<EndFacts, Woken> {
  if (ending.kind === "bind") expectServiceId(claim.id, ending.binding);
  return {
    record: claim.id,
    uses: [...parentsOf(ending), ...(ending.kind === "wait" ? (ending.optional ?? []) : [])],
    facts: factsOf(claim, ending),
    decide(facts) {
      const record = expectHeld(claim, facts.held);
      const outcome = outcomeOf(ending, { claim, record, facts, now });
      const { stored = [], family = [], touches = [] } = outcome;
      return {
        writes: [
          ...stored,
          ...audited(claim.id, auditOf(ending), now),
          ...ended(record, ending, outcome, now),
          ...family.flatMap(({ writes }) => writes),
        ],
        value: {
          woken: family.flatMap(({ woken = [] }) => woken),
          isMore: family.some(({ isMore }) => isMore),
        },
        touches: [...touches, ...family.flatMap((change) => change.touches)],
      };
    },
  };
}

function parentsOf(ending: Ending): Parents {
  if (ending.kind === "bind" || ending.kind === "apply") return ending.applied.parents;
  return ending.kind === "wait" || ending.kind === "park" ? (ending.parents ?? []) : [];
}

function auditOf(ending: Ending): AuditEntry | undefined {
  if (ending.kind === "bind" || ending.kind === "apply") return ending.applied.audit;
  return "audit" in ending ? ending.audit : undefined;
}

function factsOf(claim: Claim, ending: Ending): Step<EndFacts, Woken>["facts"] {
  const { kind } = ending;
  const isWritten = kind === "bind" || kind === "apply";
  const children = { ...claim.id, after: 0 };
  return {
    held: held(claim),
    parents: isWritten
      ? findParents(ending.applied.parents.filter(({ serviceId }) => serviceId !== undefined))
      : findParents(kind === "wait" ? (ending.parents ?? []) : []),
    optional: findParents(kind === "wait" ? (ending.optional ?? []) : []),
    former: isWritten || kind === "remove" ? [findFormerParents({ child: numberOf(claim) })] : [],
    owner: kind === "bind" ? [findOwner({ ...ending.binding })] : [],
    waiting: kind === "bind" || kind === "skip" || kind === "remove" ? [findWaiting(children)] : [],
    carrying: kind === "bind" ? [findCarrying(children)] : [],
  };
}

interface Known {
  readonly claim: Claim;
  readonly record: HeldRow;
  readonly facts: FactRows<EndFacts>;
  readonly now: number;
}

function outcomeOf(ending: Ending, known: Known): Outcome {
  const { claim, record, facts, now } = known;
  const { attempts } = record;
  switch (ending.kind) {
    case "bind":
      return bound(ending, known);
    case "apply":
      return applied(ending, known);
    case "remove":
      return removed(ending, known);
    case "retry":
      return { attempts: attempts + 1, error: ending.error, dueAt: ending.dueAt };
    case "wait": {
      const isOver =
        facts.parents.some((parent) => parent.service_id !== null) ||
        facts.optional.some(({ state }) => state === "deleted" || state === "skipped");
      const waits = distinct(ending.parents ?? []).map(({ stream, key }) => addWait({ child: record.id, stream, key }));
      return {
        attempts,
        error: ending.error,
        dueAt: ending.dueAt,
        followedBy: isOver ? "parentBound" : undefined,
        stored: [forgetWaits({ child: record.id }), ...waits],
      };
    }
    case "park":
      return { attempts, error: ending.error, stored: addParents(record.id, ending.parents ?? []) };
    case "uncertain":
      if (record.begun === 0) throw refused(claim, "has no open create that could be uncertain");
      return { attempts, error: ending.error };
    case "skip":
      return {
        error: leftOut(ending.reason, ending.code),
        stored: [forgetDeletion({ record: record.id })],
        family: [wakeChildren(record.id, { who: "waits", found: facts.waiting }, now)],
      };
    case "release":
      return { attempts, dueAt: now };
  }
}

function bound({ binding, applied }: Extract<Ending, { kind: "bind" }>, known: Known): Outcome {
  const { claim, record, facts, now } = known;
  const [owner] = facts.owner;
  if (owner !== undefined && owner.id !== record.id) throw alreadyBound(claim.id, binding, owner);
  const isMoved = owner === undefined;
  const end = written(known, { applied, ...binding, isMoved, isDeleted: record.deleted === 1 });
  return {
    ...end,
    stored: [
      ...(isMoved ? [saveBinding({ record: record.id, ...binding })] : []),
      ...(record.begun === 1 ? [endIntent({ record: record.id })] : []),
      ...end.stored,
    ],
    family: [
      wakeChildren(record.id, { who: "waits", found: facts.waiting }, now),
      wakeChildren(record.id, { who: "parents", found: isMoved ? facts.carrying : [] }, now),
      ...end.family,
    ],
    touches: [`${binding.resource} ${binding.serviceId}`],
  };
}

function applied({ applied }: Extract<Ending, { kind: "apply" }>, known: Known): Outcome {
  const { claim, record } = known;
  const { resource, service_id: serviceId } = record;
  if (resource === null || serviceId === null) throw refused(claim, "is not bound and cannot be applied");
  if (record.begun === 1) throw refused(claim, "has an open create and cannot be applied");
  return written(known, { applied, resource, serviceId, isMoved: false, isDeleted: false });
}

/** What a delivery left in the service. */
interface Written {
  readonly applied: Applied;
  readonly resource: string;
  readonly serviceId: number;
  /** Whether the ending changes the id that children of the record carry. */
  readonly isMoved: boolean;
  /** Whether the record was bound only so that its deletion can be carried out, which comes next. */
  readonly isDeleted: boolean;
}

/** The record is due again if the caller says so, or if a parent's service id has changed. */
function written(
  { claim, record, facts, now }: Known,
  { applied, resource, serviceId, isMoved, isDeleted }: Written,
): Outcome & Required<Pick<Outcome, "stored" | "family">> {
  const { id, sequence } = claim;
  const { parents } = applied;
  const isDue = isDeleted || applied.again === true || isOutdated(parents, facts.parents, { id, serviceId });
  // A record that is its own parent carries its own former id.
  const isOwnParent = isMoved && parents.some((parent) => recordName(parent) === recordName(id));
  const isWoken = isOwnParent && !isDue && record.again === 0;
  const kept = new Set(parents.map(recordName));
  // The record itself is neither waiting nor claimed any more.
  const left = facts.former.filter((parent) => parent.id !== record.id && !kept.has(recordName(parent)));
  const own = { writes: [forgetWaits({ child: record.id })], touches: [], woken: [id] };
  return {
    followedBy: isDue || isWoken ? "change" : undefined,
    stored: [
      saveWritten({ record: record.id, applied: JSON.stringify(applied.projection), sequence, doubts: null }),
      ...savedKeys(resource, serviceId, applied.keys),
      // If the ERP deleted the record, its deletion is still to be carried out.
      ...(claim.deleted ? [] : [forgetDeletion({ record: record.id })]),
      ...setParents(record.id, facts.former, parents),
    ],
    family: [leaveParents(left, now), ...(isWoken ? [own] : [])],
  };
}

function savedKeys(resource: string, serviceId: number, keys: Applied["keys"]): readonly StatementCall[] {
  if (keys === undefined) return [];
  return [
    saveMatch({ resource, serviceId }),
    forgetMatchKeys({ resource, serviceId }),
    ...Object.entries(keys).map(([rule, key]) => addMatchKey({ resource, serviceId, rule, key })),
  ];
}

function removed(
  { unbind, applied, inFlight }: Extract<Ending, { kind: "remove" }>,
  { claim: { sequence }, record, facts, now }: Known,
): Outcome {
  // A record that changed meanwhile is due again, and stays a child of its parents while it is bound.
  const isChild = !unbind && record.again === 1 && record.service_id !== null;
  const saved = () => {
    if (applied === undefined) return [];
    const doubts = inFlight === undefined ? null : JSON.stringify(storedInFlight(inFlight));
    return [saveWritten({ record: record.id, applied: JSON.stringify(applied), sequence, doubts })];
  };
  return {
    stored: [
      endDeletion({ record: record.id }),
      ...(unbind ? forgetCounterpart(record, facts.former.length > 0) : saved()),
    ],
    family: [
      leaveParents(isChild ? [] : facts.former.filter(({ id }) => id !== record.id), now),
      wakeChildren(record.id, { who: "waits", found: facts.waiting }, now),
    ],
  };
}

/** Nothing else gives a claimed record its next state. */
function ended(record: HeldRow, { kind }: Ending, outcome: Outcome, now: number): readonly StatementCall[] {
  const { attempts = 0, error, dueAt = null } = outcome;
  const state = next("claimed", kind === "bind" ? "apply" : kind);
  const end = { record: record.id, answered: ANSWERED.has(kind) ? 1 : 0 };
  // Something happened during the claim (a newer change, a new mapping, a moved parent), so the record is due again.
  const followedBy = record.again === 1 ? "change" : outcome.followedBy;
  const write =
    followedBy === undefined
      ? saveNextState({ ...end, state, dueAt, attempts, error: error === undefined ? null : JSON.stringify(error) })
      : saveNextState({
          ...end,
          state: next(state, followedBy),
          dueAt: now,
          attempts: followedBy === "change" ? 0 : attempts,
          error: null,
        });
  // A create that stays open keeps the names that it reserved.
  return record.begun === 1 && kind !== "bind" ? [write] : [write, freeNames({ record: record.id })];
}
