import { recordName } from "#model";
import type { AuditEntry, Claim } from "../claim.ts";
import { refused } from "../refusals.ts";
import { audited } from "../statements/audit.ts";
import { endBinding } from "../statements/bindings.ts";
import { forgetMatch, forgetMatchKeys } from "../statements/matches.ts";
import { findFormerParents, forgetParents, type FormerParentRow } from "../statements/parents.ts";
import type { HeldRow } from "../statements/records.ts";
import type { StatementCall } from "../statements/statement.ts";
import { forgetWritten } from "../statements/written.ts";
import { expectHeld, held, numberOf } from "./claim.ts";
import { leaveParents } from "./family.ts";
import type { Step } from "./step.ts";

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
        writes: [...forgetCounterpart(record, former.length > 0), ...leaving.writes, ...audited(claim.id, audit, now)],
        value: undefined,
        touches: [...leaving.touches, ...former.map(recordName)],
      };
    },
  };
}

/** Forgets a record of the service that is gone: its binding, what was written to it, and its place in the match index. */
export function forgetCounterpart(
  { id, resource, service_id: serviceId }: HeldRow,
  hasParents: boolean,
): readonly StatementCall[] {
  const matches =
    resource === null || serviceId === null
      ? []
      : [forgetMatchKeys({ resource, serviceId }), forgetMatch({ resource, serviceId })];
  return [...matches, ...forgetBinding(id, hasParents)];
}

/** Ends the record's binding and forgets what was written, and whose ids it carried. */
export function forgetBinding(record: number, hasParents: boolean): readonly StatementCall[] {
  return [endBinding({ record }), forgetWritten({ record }), ...(hasParents ? [forgetParents({ child: record })] : [])];
}
