import type { ReturnLine } from "#model";
import type { ReturnStatus } from "#operator";
import type { StoredReturn } from "#store";
import { now } from "./sample-decisions.ts";

const minute = 60_000;

const line: ReturnLine = {
  kind: "time",
  id: 91,
  change: "changed",
  amount: "1.50",
  amountBefore: "1.25",
  fields: { staff_no: "S7", text: "Pump <b>repaired</b>" },
};

export function sampleReturn(facts: Partial<StoredReturn> = {}): StoredReturn {
  return {
    stream: "reports",
    subject: "4711",
    version: 2,
    kind: "correction",
    serviceId: 4711,
    replaces: 1,
    hash: "abc",
    content: { fields: { order_no: "A-17", customer_no: "10023" }, lines: [line] },
    state: "held",
    preparedAt: now - 30 * minute,
    deliveredAt: undefined,
    answer: undefined,
    following: undefined,
    attempts: 0,
    dueAt: now - 30 * minute,
    error: {
      code: "E_RETURN_CORRECTION",
      message: "the ERP has version 1, and the report has changed since",
      details: {},
    },
    head: undefined,
    ...facts,
  };
}

/** One that is held, the version before it, and an uncertain one. */
export const sampleReturns: readonly StoredReturn[] = [
  sampleReturn(),
  sampleReturn({
    version: 1,
    kind: "fact",
    replaces: undefined,
    state: "accepted",
    deliveredAt: now - 90 * minute,
    answer: { result: "ok", document: "R-2026-17", message: undefined, at: now - 60 * minute },
    following: "done",
    error: undefined,
  }),
  sampleReturn({
    subject: "../4712",
    version: 1,
    kind: "fact",
    replaces: undefined,
    state: "uncertain",
    error: { code: "E_RETURN_UNCERTAIN", message: "the files are gone", details: {} },
  }),
];

export function sampleReturnStatus(facts: Partial<ReturnStatus> = {}): ReturnStatus {
  return {
    name: "reports",
    kind: "reports",
    state: "following",
    counts: { accepted: 1_204, delivered: 3 },
    unansweredMs: 25 * minute,
    isOverdue: false,
    mark: { beginAt: 0 },
    troubles: [],
    attention: [],
    ...facts,
  };
}

/** One stream that the guard holds, and one that is paused. */
export const heldReturns: readonly ReturnStatus[] = [
  sampleReturnStatus({
    state: "held",
    counts: { prepared: 120, held: 1, uncertain: 1 },
    mark: { beginAt: 0, held: { at: now, count: 120, usual: 10 } },
    troubles: [{ kind: "held", count: 1, example: undefined }],
    attention: [
      '120 returns at once, and at most 10 in an hour before; "svcsync returns release reports" hands them over',
    ],
  }),
  sampleReturnStatus({
    name: "ticket-status",
    kind: "status",
    state: "paused",
    mark: { beginAt: 0, paused: { at: now, by: { name: "ben", via: "cli" } } },
    attention: ['paused by ben: nothing is handed over until "svcsync returns resume ticket-status"'],
  }),
];
