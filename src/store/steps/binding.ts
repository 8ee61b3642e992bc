import { recordName, type Binding, type RecordId } from "#model";
import type { Applied, Claim } from "../claim.ts";
import { alreadyBound, expectServiceId, refused } from "../refusals.ts";
import { findOwner, saveBinding, type OwnerRow } from "../statements/bindings.ts";
import { forgetDeletion } from "../statements/deletions.ts";
import { endIntent } from "../statements/intents.ts";
import { addMatchKey, forgetMatchKeys, saveMatch } from "../statements/matches.ts";
import {
  findCarrying,
  findFormerParents,
  findWaiting,
  forgetWaits,
  type ChildRow,
  type FormerParentRow,
  type ParentRow,
} from "../statements/parents.ts";
import type { HeldRow } from "../statements/records.ts";
import type { StatementCall } from "../statements/statement.ts";
import { saveWritten } from "../statements/written.ts";
import { expectHeld, held, numberOf } from "./claim.ts";
import { audited, ended } from "./ending.ts";
import { findParents, isOutdated, leaveParents, setParents, wakeChildren } from "./family.ts";
import type { Step } from "./step.ts";

interface AppliedFacts {
  readonly held: HeldRow;
  readonly parents: ParentRow;
  readonly former: FormerParentRow;
}

interface BindFacts extends AppliedFacts {
  readonly owner: OwnerRow;
  readonly waiting: ChildRow;
  readonly carrying: ChildRow;
}

/** The woken records, and whether others are still to be woken. */
export interface Woken {
  readonly woken: readonly RecordId[];
  readonly isMore: boolean;
}

/** @throws {ParkError} E_STORE_VALUE when it is no service id. */
export function bindRecord(claim: Claim, binding: Binding, applied: Applied, now: number): Step<BindFacts, Woken> {
  expectServiceId(claim.id, binding);
  const { stream, key } = claim.id;
  const { resource, serviceId } = binding;
  const children = { stream, key, after: 0 };
  return {
    record: claim.id,
    uses: applied.parents,
    facts: {
      ...factsOf(claim, applied),
      owner: [findOwner({ resource, serviceId })],
      waiting: [findWaiting(children)],
      carrying: [findCarrying(children)],
    },
    decide({ held: holder, parents, former, owner: [owner], waiting, carrying }) {
      const record = expectHeld(claim, holder);
      if (owner !== undefined && owner.id !== record.id) throw alreadyBound(claim.id, binding, owner);
      const isMoved = owner === undefined;
      // A record that is its own parent carries its own former id.
      const isOwnParent = isMoved && applied.parents.some((parent) => recordName(parent) === recordName(claim.id));
      const facts = { record: { ...record, begun: 0 }, parents, former };
      const end = left(facts, { claim, binding, applied, isDeleted: record.deleted === 1, isOwnParent, now });
      const leaving = leaveParents(end.left, now);
      const woken = wakeChildren(record.id, { who: "waits", found: waiting }, now);
      const others = isMoved ? carrying.filter(({ id }) => id !== record.id) : [];
      const moved = wakeChildren(record.id, { who: "parents", found: others }, now);
      return {
        writes: [
          ...(isMoved ? [saveBinding({ record: record.id, resource, serviceId })] : []),
          ...(record.begun === 1 ? [endIntent({ record: record.id })] : []),
          ...end.writes,
          ...leaving.writes,
          ...woken.writes,
          ...moved.writes,
        ],
        value: { woken: [...woken.woken, ...moved.woken, ...end.woken], isMore: woken.isMore || moved.isMore },
        touches: [`${resource} ${serviceId}`, ...leaving.touches, ...woken.touches, ...moved.touches],
      };
    },
  };
}

export function applyRecord(claim: Claim, applied: Applied, now: number): Step<AppliedFacts, void> {
  return {
    record: claim.id,
    uses: applied.parents,
    facts: factsOf(claim, applied),
    decide({ held: holder, parents, former }) {
      const record = expectHeld(claim, holder);
      const { resource, service_id: serviceId } = record;
      if (resource === null || serviceId === null) throw refused(claim, "is not bound and cannot be applied");
      if (record.begun === 1) throw refused(claim, "has an open create and cannot be applied");
      const binding = { resource, serviceId };
      const end = left({ record, parents, former }, { claim, binding, applied, now });
      const leaving = leaveParents(end.left, now);
      return { writes: [...end.writes, ...leaving.writes], value: undefined, touches: leaving.touches };
    },
  };
}

function factsOf(claim: Claim, { parents }: Applied) {
  return {
    held: held(claim),
    parents: findParents(parents.filter(({ serviceId }) => serviceId !== undefined)),
    former: [findFormerParents({ child: numberOf(claim) })],
  };
}

/** What a delivery left in the service. */
interface Left {
  readonly claim: Claim;
  readonly binding: Binding;
  readonly applied: Applied;
  /** Whether the record was bound only so that its deletion can be carried out, which comes next. */
  readonly isDeleted?: boolean;
  /** Whether the step changed the id that the record carries of itself. */
  readonly isOwnParent?: boolean;
  readonly now: number;
}

/**
 * Stores what a delivery left in the service, and ends the claim. The record is due again if the caller says so, or if a parent's service id
 * has changed. Also returns the parents that it no longer has, and the record itself if it is due because it is its own parent.
 */
function left(
  { record, parents, former }: { record: HeldRow; parents: readonly ParentRow[]; former: readonly FormerParentRow[] },
  { claim: { id, ...claim }, binding, applied, isDeleted = false, isOwnParent = false, now }: Left,
): { writes: readonly StatementCall[]; left: readonly FormerParentRow[]; woken: readonly RecordId[] } {
  const own = { id, serviceId: binding.serviceId };
  const isDue = isDeleted || applied.again === true || isOutdated(applied.parents, parents, own);
  const isWoken = isOwnParent && !isDue && record.again === 0;
  const kept = new Set(applied.parents.map(recordName));
  const followedBy = isDue || isWoken ? ("change" as const) : undefined;
  return {
    writes: [
      saveWritten({
        record: record.id,
        applied: JSON.stringify(applied.projection),
        sequence: claim.sequence,
        doubts: null,
      }),
      ...savedKeys(binding, applied),
      // If the ERP deleted the record, its deletion is still to be carried out.
      ...(claim.deleted ? [] : [forgetDeletion({ record: record.id })]),
      ...setParents(record.id, former, applied.parents),
      ...audited(id, applied.audit, now),
      ...ended(record, "apply", { attempts: 0, isAnswered: true, followedBy }, now),
      ...(isWoken ? [forgetWaits({ child: record.id })] : []),
    ],
    // The record itself is neither waiting nor claimed any more.
    left: former.filter((parent) => parent.id !== record.id && !kept.has(recordName(parent))),
    woken: isWoken ? [id] : [],
  };
}

function savedKeys({ resource, serviceId }: Binding, { keys }: Applied): readonly StatementCall[] {
  if (keys === undefined) return [];
  return [
    saveMatch({ resource, serviceId }),
    forgetMatchKeys({ resource, serviceId }),
    ...Object.entries(keys).map(([rule, key]) => addMatchKey({ resource, serviceId, rule, key })),
  ];
}
