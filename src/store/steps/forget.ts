import type { Actor, RecordId } from "#model";
import { forgottenError } from "../facts.ts";
import { expectForgettable, NO_HASH } from "../forgettable.ts";
import { leftOut, unknownRecord } from "../refusals.ts";
import { bindingOf } from "../rows/record-row.ts";
import { audited } from "../statements/audit.ts";
import { forgetMatchKeys } from "../statements/matches.ts";
import { findWaiting, forgetWaits, type ChildRow } from "../statements/parents.ts";
import {
  eraseAttempts,
  eraseAudit,
  eraseExchanges,
  eraseNoticeEvents,
  eraseNotices,
  eraseRow,
  eraseWatches,
  forgetContents,
} from "../statements/privacy.ts";
import { findRecord, type ClaimableRow } from "../statements/records.ts";
import { forgetWritten } from "../statements/written.ts";
import { next } from "../transitions.ts";
import { wakeChildren } from "./family.ts";
import type { Step } from "./step.ts";

const ERASE = [
  eraseRow,
  eraseAudit,
  eraseAttempts,
  eraseExchanges,
  eraseWatches,
  eraseNotices,
  eraseNoticeEvents,
] as const;

/** Overwrites what is stored of a record's contents. Gives whether children are still to be woken. */
export function forgetRecord(
  id: RecordId,
  by: Actor,
  now: number,
): Step<{ record: ClaimableRow; waiting: ChildRow }, boolean> {
  const { stream, key } = id;
  return {
    record: id,
    facts: { record: [findRecord({ stream, key })], waiting: [findWaiting({ stream, key, after: 0 })] },
    decide({ record: [found], waiting }) {
      if (found === undefined) throw unknownRecord(id);
      expectForgettable(id, found);
      const record = found.id;
      const state = next(found.state, "forget");
      const binding = bindingOf(found);
      const woken = wakeChildren(record, { who: "waits", found: waiting }, now);
      const { resource = "", serviceId } = binding ?? {};
      return {
        writes: [
          ...ERASE.map((erase) => erase({ record, stream, key })),
          forgetWritten({ record }),
          ...(binding === undefined ? [] : [forgetMatchKeys({ ...binding })]),
          ...woken.writes,
          forgetContents({
            record,
            state,
            hash: NO_HASH,
            error: state === "skipped" ? JSON.stringify(leftOut(forgottenError.message)) : null,
            unreadable: JSON.stringify(forgottenError),
          }),
          forgetWaits({ child: record }),
          ...audited(id, { action: "forget", resource, serviceId, outcome: "forgotten", by }, now),
        ],
        value: woken.isMore === true,
        touches: woken.touches,
      };
    },
  };
}
