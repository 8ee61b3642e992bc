import type { RecordId } from "#model";
import type { Claim } from "../claim.ts";
import { FIRST_GUARDED } from "../lanes.ts";
import { claimLost } from "../refusals.ts";
import { claimOf } from "../rows/record-row.ts";
import { findGate, freeLost } from "../statements/fence.ts";
import {
  extendLease,
  findHeld,
  findRecord,
  takeRecord,
  type ClaimableRow,
  type HeldRow,
} from "../statements/records.ts";
import type { StatementCall } from "../statements/statement.ts";
import { allows } from "../transitions.ts";
import type { Step } from "./step.ts";

/** How a process claims records. */
export interface Claiming {
  /** By whose clock records are due. */
  readonly dueBy: number;
  readonly now: number;
  /** When the claim ends. */
  readonly until: number;
  /** Random per claim. A cluster member's begins with its epoch and a dot. */
  readonly secret: string;
  /** The digest of the member's mapping; undefined if the process works alone. */
  readonly mapping: string | undefined;
}

/** A token begins with the record's number, by which the steps of the claim find the record. */
export function claimRecord(
  id: RecordId,
  { dueBy, now, until, secret, mapping }: Claiming,
): Step<{ record: ClaimableRow; gate: { is_open: number } }, Claim | undefined> {
  return {
    record: id,
    facts: { record: [findRecord({ ...id })], gate: mapping === undefined ? [] : [findGate({ mapping })] },
    decide({ record: [record], gate: [gate] }) {
      const nothing = { writes: [], value: undefined };
      if (gate?.is_open === 0 || record === undefined || record.due_at === null || record.due_at > dueBy)
        return nothing;
      if (!allows(record.state, "claim") || record.backfill >= FIRST_GUARDED) return nothing;
      if (mapping !== undefined && isOfAnother(record, secret))
        return { writes: [freeLost({ record: record.id, now })], value: undefined };
      const token = `${record.id}.${secret}`;
      return { writes: [takeRecord({ record: record.id, token, until })], value: claimOf(record, token) };
    },
  };
}

/** Whether another process than the owner of the secret has claimed the record. */
function isOfAnother({ token }: ClaimableRow, secret: string): boolean {
  return token !== null && token.split(".")[1] !== secret.split(".")[0];
}

export function renewClaim(claim: Claim, until: number): Step<{ held: HeldRow }, void> {
  return holding(claim, ({ id }) => ({ writes: [extendLease({ record: id, until })], value: undefined }));
}

/** A fact of every step of a claim: its record. */
export function held(claim: Claim): readonly StatementCall<HeldRow>[] {
  return [findHeld({ record: numberOf(claim) })];
}

/** The number of the claim's record; no record has the number 0. */
export function numberOf({ token }: Claim): number {
  return Number.parseInt(token, 10) || 0;
}

/** @throws {RetryError} E_CLAIM_LOST when the claim ended, by a step or because another worker took the record. */
export function expectHeld(claim: Claim, [record]: readonly HeldRow[]): HeldRow {
  if (record === undefined || record.token !== claim.token) throw claimLost(claim.id);
  return record;
}

/** A step that depends on nothing but the claimed record. */
export function holding<Value>(
  claim: Claim,
  decide: (record: HeldRow) => ReturnType<Step<{ held: HeldRow }, Value>["decide"]>,
): Step<{ held: HeldRow }, Value> {
  return { record: claim.id, facts: { held: held(claim) }, decide: ({ held }) => decide(expectHeld(claim, held)) };
}
