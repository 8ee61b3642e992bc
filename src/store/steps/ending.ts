import type { ErrorFacts, RecordId } from "#model";
import type { AuditEntry } from "../claim.ts";
import { auditRow } from "../rows/audit-row.ts";
import { addEntry, dropOldAttempts } from "../statements/audit.ts";
import { freeNames } from "../statements/fence.ts";
import { endClaim, type HeldRow } from "../statements/records.ts";
import type { StatementCall } from "../statements/statement.ts";
import { next, type RecordEvent } from "../transitions.ts";

/** How a claim ends. */
interface Ending {
  readonly attempts: number;
  readonly error?: ErrorFacts | undefined;
  /** When the record is due again; ignored unless the next state can become due. */
  readonly dueAt?: number | undefined;
  /** Whether an operator's answer `create` was carried out. */
  readonly isAnswered?: boolean;
  /** The event that follows the step at once, in the same transaction. */
  readonly followedBy?: "change" | "parentBound" | undefined;
}

/** Ends a claim. Nothing else gives a claimed record its next state. `held.begun` tells whether a create stays open. */
export function ended(
  held: Pick<HeldRow, "id" | "again" | "begun">,
  event: RecordEvent,
  ending: Ending,
  now: number,
): readonly StatementCall[] {
  const { attempts, error, dueAt, isAnswered = false } = ending;
  const state = next("claimed", event);
  const end = { record: held.id, answered: isAnswered ? 1 : 0 };
  // Something happened during the claim (a newer change, a new mapping, a moved parent), so the record is due again.
  const followedBy = held.again === 1 ? "change" : ending.followedBy;
  const write =
    followedBy === undefined
      ? endClaim({
          ...end,
          state,
          dueAt: dueAt ?? null,
          attempts,
          error: error === undefined ? null : JSON.stringify(error),
        })
      : endClaim({
          ...end,
          state: next(state, followedBy),
          dueAt: now,
          attempts: followedBy === "change" ? 0 : attempts,
          error: null,
        });
  return held.begun === 1 ? [write] : [write, freeNames({ record: held.id })];
}

/** Adds an entry to the audit trail. Of a record's attempts the latest are kept. */
export function audited(id: RecordId, entry: AuditEntry | undefined, now: number): readonly StatementCall[] {
  if (entry === undefined) return [];
  const added = addEntry(auditRow(now, id, entry));
  const { stream, key } = id;
  return entry.action === "attempt" ? [added, dropOldAttempts({ stream, key })] : [added];
}
