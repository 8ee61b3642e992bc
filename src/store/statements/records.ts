import type { RecordRow } from "../rows/record-row.ts";
import { SELECT_RECORD } from "../rows/record-row.ts";
import { statement } from "./statement.ts";

/** A record that may be claimed, and the token of the claim that it has now. */
export interface ClaimableRow extends RecordRow {
  readonly token: string | null;
}

/** What a step of a claim must know of its record. */
export interface HeldRow {
  readonly id: number;
  /** Of the claim that it has now; null if it has none. */
  readonly token: string | null;
  readonly deleted: number;
  readonly attempts: number;
  /** 1 if something happened during the claim that makes the record due when it ends. */
  readonly again: number;
  /** Its binding; null if it has none. */
  readonly resource: string | null;
  readonly service_id: number | null;
  /** 1 if a create was begun and its result is not known. */
  readonly begun: number;
}

export const findRecord = statement<{ stream: string; key: string }, ClaimableRow>({
  name: "find_record",
  takes: { stream: "text", key: "text" },
  sql: ({ isOf }) => `${SELECT_RECORD} WHERE ${isOf("r", "@stream", "@key")}`,
});

export const findHeld = statement<{ record: number }, HeldRow>({
  name: "find_held",
  takes: { record: "integer" },
  sql: () => `
    SELECT r.id, r.token, r.deleted, r.attempts, r.again, b.resource, b.service_id,
      CASE WHEN i.record IS NULL THEN 0 ELSE 1 END AS begun
    FROM records r LEFT JOIN bindings b ON b.record = r.id LEFT JOIN intents i ON i.record = r.id
    WHERE r.id = @record`,
});

export const takeRecord = statement<{ record: number; token: string; until: number }>({
  name: "take_record",
  takes: { record: "integer", token: "text", until: "integer" },
  sql: ({ from }) =>
    `UPDATE records SET state = 'claimed', token = @token, due_at = @until, again = 0 ${from} WHERE id = @record`,
});

export const extendLease = statement<{ record: number; until: number }>({
  name: "extend_lease",
  takes: { record: "integer", until: "integer" },
  sql: ({ from }) => `UPDATE records SET due_at = @until ${from} WHERE id = @record`,
});

/** Gives a claimed record its next state. `answered` is 1 if an operator's answer `create` was carried out. */
export const saveNextState = statement<{
  record: number;
  state: string;
  dueAt: number | null;
  attempts: number;
  error: string | null;
  answered: number;
}>({
  name: "end_claim",
  takes: {
    record: "integer",
    state: "text",
    dueAt: "integer",
    attempts: "integer",
    error: "text",
    answered: "integer",
  },
  sql: ({ from }) => `
    UPDATE records SET state = @state, due_at = @dueAt, attempts = @attempts, error = @error, token = NULL, again = 0,
      decision = CASE WHEN @answered = 1 AND decision = 'create' THEN NULL ELSE decision END
    ${from} WHERE id = @record`,
});

/** Gives a record that a person answered its next state. */
export const answerRecord = statement<{
  record: number;
  state: string;
  dueAt: number | null;
  error: string | null;
  decision: string | null;
}>({
  name: "answer_record",
  takes: { record: "integer", state: "text", dueAt: "integer", error: "text", decision: "text" },
  sql: ({ from }) => `
    UPDATE records SET state = @state, due_at = @dueAt, attempts = 0, backfill = 0, error = @error, decision = @decision
    ${from} WHERE id = @record`,
});

/** Makes a record due for a repair. Repairs have the priority of a first load: live changes go first. */
export const repairRecord = statement<{ record: number; now: number }>({
  name: "repair_record",
  takes: { record: "integer", now: "integer" },
  sql: ({ from }) => `
    UPDATE records SET state = 'due', due_at = @now, backfill = CASE WHEN backfill < 1 THEN 1 ELSE backfill END
    ${from} WHERE id = @record`,
});
