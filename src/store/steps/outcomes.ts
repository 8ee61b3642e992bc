import { recordName, type ErrorFacts, type Projection } from "#model";
import type { AuditEntry, Claim, InFlight, Parents, Waiting } from "../claim.ts";
import { leftOut, refused, type LeftOutCode } from "../refusals.ts";
import { storedInFlight } from "../rows/in-flight.ts";
import { endBinding } from "../statements/bindings.ts";
import { endDeletion, forgetDeletion } from "../statements/deletions.ts";
import { forgetMatch, forgetMatchKeys } from "../statements/matches.ts";
import {
  addWait,
  findFormerParents,
  findWaiting,
  forgetParents,
  forgetWaits,
  type ChildRow,
  type FormerParentRow,
  type ParentRow,
} from "../statements/parents.ts";
import type { HeldRow } from "../statements/records.ts";
import type { StatementCall } from "../statements/statement.ts";
import { forgetWritten, saveWritten } from "../statements/written.ts";
import { expectHeld, held, holding, numberOf } from "./claim.ts";
import { audited, ended } from "./ending.ts";
import { addParents, distinct, findParents, leaveParents, wakeChildren } from "./family.ts";
import type { Step } from "./step.ts";

/** A step that concerns no other record. */
type Outcome = Step<{ held: HeldRow }, void>;

export function retryLater(
  claim: Claim,
  { error, dueAt, audit }: { error: ErrorFacts; dueAt: number; audit: AuditEntry | undefined },
  now: number,
): Outcome {
  return holding(claim, (record) => ({
    writes: [
      ...audited(claim.id, audit, now),
      ...ended(record, "retry", { attempts: record.attempts + 1, error, dueAt }, now),
    ],
    value: undefined,
  }));
}

export function waitFor(
  claim: Claim,
  { error, parents = [], optional = [], dueAt }: Waiting,
  now: number,
): Step<{ held: HeldRow; parents: ParentRow; optional: ParentRow }, void> {
  return {
    record: claim.id,
    uses: [...parents, ...optional],
    facts: { held: held(claim), parents: findParents(parents), optional: findParents(optional) },
    decide({ held: holder, parents: known, optional: dispensable }) {
      const record = expectHeld(claim, holder);
      const isOver =
        known.some((parent) => parent.service_id !== null) ||
        dispensable.some(({ state }) => state === "deleted" || state === "skipped");
      const followedBy = isOver ? ("parentBound" as const) : undefined;
      return {
        writes: [
          forgetWaits({ child: record.id }),
          ...distinct(parents).map(({ stream, key }) => addWait({ child: record.id, stream, key })),
          ...ended(record, "wait", { attempts: record.attempts, error, dueAt, followedBy }, now),
        ],
        value: undefined,
      };
    },
  };
}

export function parkRecord(
  claim: Claim,
  { error, audit, parents = [] }: { error: ErrorFacts; audit?: AuditEntry | undefined; parents?: Parents | undefined },
  now: number,
): Outcome {
  const step = holding(claim, (record) => ({
    writes: [
      ...audited(claim.id, audit, now),
      ...addParents(record.id, parents),
      ...ended(record, "park", { attempts: record.attempts, error }, now),
    ],
    value: undefined,
  }));
  return { ...step, uses: parents };
}

export function markUncertain(claim: Claim, error: ErrorFacts, now: number): Outcome {
  return holding(claim, (record) => {
    if (record.begun === 0) throw refused(claim, "has no open create that could be uncertain");
    return { writes: ended(record, "markUncertain", { attempts: record.attempts, error }, now), value: undefined };
  });
}

/** Gives whether children are still to be woken. */
export function skipRecord(
  claim: Claim,
  { reason, code }: { reason: string; code: LeftOutCode | undefined },
  now: number,
): Step<{ held: HeldRow; waiting: ChildRow }, boolean> {
  const { stream, key } = claim.id;
  return {
    record: claim.id,
    facts: { held: held(claim), waiting: [findWaiting({ stream, key, after: 0 })] },
    decide({ held: holder, waiting }) {
      const record = expectHeld(claim, holder);
      const woken = wakeChildren(record.id, { who: "waits", found: waiting }, now);
      const ending = { attempts: 0, error: leftOut(reason, code), isAnswered: true };
      return {
        writes: [forgetDeletion({ record: record.id }), ...ended(record, "skip", ending, now), ...woken.writes],
        value: woken.isMore,
        touches: woken.touches,
      };
    },
  };
}

/** What a deletion left in the service. */
interface Removal {
  readonly unbind: boolean;
  readonly applied?: Projection;
  readonly inFlight?: InFlight | undefined;
  readonly audit?: AuditEntry;
}

/** Gives whether children are still to be woken. */
export function removeRecord(
  claim: Claim,
  { unbind, applied, inFlight, audit }: Removal,
  now: number,
): Step<{ held: HeldRow; former: FormerParentRow; waiting: ChildRow }, boolean> {
  const { stream, key } = claim.id;
  const child = numberOf(claim);
  return {
    record: claim.id,
    facts: {
      held: held(claim),
      former: [findFormerParents({ child })],
      waiting: [findWaiting({ stream, key, after: 0 })],
    },
    decide({ held: holder, former, waiting }) {
      const record = expectHeld(claim, holder);
      const woken = wakeChildren(record.id, { who: "waits", found: waiting }, now);
      // A record that changed meanwhile is due again, and stays a child of its parents while it is bound.
      const isChild = !unbind && record.again === 1 && record.service_id !== null;
      const leaving = leaveParents(isChild ? [] : former.filter(({ id }) => id !== record.id), now);
      const saved = unbind || applied === undefined ? [] : [savedDeletion(claim, { record, applied, inFlight })];
      return {
        writes: [
          endDeletion({ record: record.id }),
          ...(unbind ? vanished(record, former.length > 0) : saved),
          ...audited(claim.id, audit, now),
          ...ended(record, "remove", { attempts: 0, isAnswered: true }, now),
          ...leaving.writes,
          ...woken.writes,
        ],
        value: woken.isMore,
        touches: [...leaving.touches, ...woken.touches],
      };
    },
  };
}

function savedDeletion(
  { sequence }: Claim,
  { record, applied, inFlight }: { record: HeldRow; applied: Projection; inFlight: InFlight | undefined },
): StatementCall {
  const doubts = inFlight === undefined ? null : JSON.stringify(storedInFlight(inFlight));
  return saveWritten({ record: record.id, applied: JSON.stringify(applied), sequence, doubts });
}

/** Ends the binding of a claimed record that the service no longer has. The claim stays. */
export function unbindRecord(
  claim: Claim,
  audit: AuditEntry,
  now: number,
): Step<{ held: HeldRow; former: FormerParentRow }, void> {
  return {
    record: claim.id,
    facts: { held: held(claim), former: [findFormerParents({ child: numberOf(claim) })] },
    decide({ held: holder, former }) {
      const record = expectHeld(claim, holder);
      if (record.service_id === null) throw refused(claim, "is not bound and cannot be unbound");
      const leaving = leaveParents(former, now);
      return {
        writes: [...vanished(record, former.length > 0), ...leaving.writes, ...audited(claim.id, audit, now)],
        value: undefined,
        touches: [...leaving.touches, ...former.map(recordName)],
      };
    },
  };
}

/** Forgets a record of the service that is gone: its binding, what was written to it, and its place in the match index. */
function vanished({ id, resource, service_id: serviceId }: HeldRow, hasParents: boolean): readonly StatementCall[] {
  const matches =
    resource === null || serviceId === null
      ? []
      : [forgetMatchKeys({ resource, serviceId }), forgetMatch({ resource, serviceId })];
  return [...matches, ...letGo(id, hasParents)];
}

/** Ends the record's binding and forgets what was written, and whose ids it carried. */
export function letGo(record: number, hasParents: boolean): readonly StatementCall[] {
  return [endBinding({ record }), forgetWritten({ record }), ...(hasParents ? [forgetParents({ child: record })] : [])];
}

export function releaseClaim(claim: Claim, now: number): Outcome {
  return holding(claim, (record) => ({
    writes: ended(record, "release", { attempts: record.attempts, dueAt: now }, now),
    value: undefined,
  }));
}
