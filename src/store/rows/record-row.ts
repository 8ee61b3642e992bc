import type { Binding, ErrorFacts, Projection, RecordId, RecordState, Row } from "#model";
import type { Claim, Decision, Intent } from "../claim.ts";
import type { RecordView } from "../facts.ts";
import { FIRST_GUARDED } from "../lanes.ts";
import { inFlightOf } from "./in-flight.ts";
import { parseOptional, parseText, type JsonText } from "./json-text.ts";

/** A record with all related rows, as {@link SELECT_RECORD} reads it. */
export interface RecordRow {
  readonly id: number;
  readonly stream: string;
  readonly key: string;
  readonly state: RecordState;
  readonly sequence: number;
  readonly deleted: number;
  readonly attempts: number;
  readonly due_at: number | null;
  readonly changed_at: number;
  readonly backfill: number;
  readonly error: JsonText<ErrorFacts> | null;
  readonly unreadable: JsonText<ErrorFacts> | null;
  readonly decision: Decision["kind"] | null;
  readonly row: JsonText<Row>;
  readonly applied: JsonText<Projection> | null;
  readonly applied_sequence: number | null;
  readonly doubts: JsonText<Projection> | null;
  readonly bound_resource: string | null;
  readonly service_id: number | null;
  readonly intent_resource: string | null;
  readonly projection: JsonText<Projection> | null;
  readonly begun_at: number | null;
  readonly looks: number | null;
  readonly answered: number | null;
}

export const SELECT_RECORD = `
  SELECT r.id, r.stream, r.key, r.state, r.token, r.sequence, r.deleted, r.attempts, r.due_at, r.changed_at, r.backfill, r.error, r.unreadable, r.decision,
         c.row, w.applied, w.sequence AS applied_sequence, w.doubts,
         b.resource AS bound_resource, b.service_id,
         i.resource AS intent_resource, i.projection, i.begun_at, i.looks, i.answered
  FROM records r
  JOIN contents c ON c.record = r.id
  LEFT JOIN written w ON w.record = r.id
  LEFT JOIN bindings b ON b.record = r.id
  LEFT JOIN intents i ON i.record = r.id`;

/**
 * Selects by stream and key. Without the plus, SQLite would look at the values for its plan. It would then plan this multi-table statement
 * again at each run, which takes ten times as long as the statement itself.
 */
export const SELECT_ONE = `${SELECT_RECORD} WHERE r.stream = +? AND r.key = +?`;

export function claimOf(record: RecordRow, token: string): Claim {
  const claim = {
    id: { stream: record.stream, key: record.key },
    token,
    sequence: record.sequence,
    deleted: record.deleted === 1,
    ...(record.applied_sequence === record.sequence ? {} : { changedAt: record.changed_at }),
    attempts: record.attempts,
    ...partsOf(record),
  };
  const binding = bindingOf(record);
  return binding ? { ...claim, binding } : { ...claim, binding };
}

export function viewOf(record: RecordRow, waitsFor: readonly RecordId[]): RecordView {
  return {
    id: { stream: record.stream, key: record.key },
    state: record.state,
    deleted: record.deleted === 1,
    sequence: record.sequence,
    appliedSequence: record.applied_sequence ?? undefined,
    attempts: record.attempts,
    // While the lease is held, its end is not a due time.
    dueAt: record.state === "claimed" ? undefined : (record.due_at ?? undefined),
    changedAt: record.changed_at,
    ...(record.backfill >= FIRST_GUARDED ? { isGuarded: true } : {}),
    error: parseOptional(record.error),
    binding: bindingOf(record),
    ...partsOf(record),
    waitsFor,
  };
}

/** The parsed columns from the related tables. */
function partsOf(record: RecordRow) {
  return {
    row: parseText(record.row),
    unreadable: parseOptional(record.unreadable),
    applied: parseOptional(record.applied),
    inFlight: inFlightOf(parseOptional(record.doubts)),
    intent: intentOf(record),
    // A create consumes the answer, unless that create certainly did not happen.
    decision: record.decision === null || record.intent_resource !== null ? undefined : { kind: record.decision },
  };
}

export function bindingOf(record: RecordRow): Binding | undefined {
  if (record.bound_resource === null || record.service_id === null) return undefined;
  return { resource: record.bound_resource, serviceId: record.service_id };
}

function intentOf(record: RecordRow): Intent | undefined {
  if (record.intent_resource === null || record.projection === null || record.begun_at === null) return undefined;
  return {
    resource: record.intent_resource,
    projection: parseText(record.projection),
    begunAt: record.begun_at,
    looks: record.looks ?? 0,
    answered: record.answered === 1,
    decided: record.decision === "create",
  };
}
