import type { Json, RecordId } from "#model";
import type { AuditEntry } from "../claim.ts";
import type { AuditRecord } from "../facts.ts";
import type { Statement } from "../roles/access.ts";
import { actorOf, actorRow, type ActorRow } from "./actor-row.ts";
import { optionalText, parseOptional, type JsonText } from "./json-text.ts";

/** `actor` and `via` are null if svcsync acted. */
type AnyActorRow = ActorRow | { readonly actor: null; readonly via: null; readonly why: null };

export type AuditRow = AnyActorRow & {
  readonly at: number;
  readonly stream: string;
  readonly key: string;
  readonly action: AuditEntry["action"];
  readonly resource: string;
  readonly service_id: number | null;
  readonly before: JsonText<Json> | null;
  readonly after: JsonText<Json> | null;
  readonly outcome: string;
  readonly status: number | null;
  readonly duration_ms: number | null;
};

export const ADD_AUDIT = `
  INSERT INTO audit (at, stream, key, action, resource, service_id, before, after, outcome, status, duration_ms,
    actor, via, why)
  SELECT @at, @stream, @key, @action, @resource, @service_id, @before, @after, @outcome, @status, @duration_ms,
    @actor, @via, @why`;

/** How many attempts of a record the audit trail keeps: those of a record that fails for weeks must not hide what was written to it. */
export const ATTEMPTS_KEPT = 10;

/** The condition for attempts of a record that are too old to be kept; `isRecord` holds for the record's entries alone. */
export const OLD_ATTEMPTS = (isRecord: string) => `
  ${isRecord} AND action = 'attempt' AND id <= (
    SELECT id FROM audit WHERE ${isRecord} AND action = 'attempt' ORDER BY id DESC LIMIT 1 OFFSET ${ATTEMPTS_KEPT})`;

export function auditRow(at: number, { stream, key }: RecordId, entry: AuditEntry): AuditRow {
  return {
    at,
    stream,
    key,
    action: entry.action,
    resource: entry.resource,
    service_id: entry.serviceId ?? null,
    before: optionalText(entry.before),
    after: optionalText(entry.after),
    outcome: entry.outcome,
    status: entry.status ?? null,
    duration_ms: entry.durationMs ?? null,
    ...(entry.by === undefined ? { actor: null, via: null, why: null } : actorRow(entry.by)),
  };
}

/** Inserts an audit entry, if `when` holds. */
export function addAudit(at: number, id: RecordId, entry: AuditEntry, when?: Statement): Statement {
  const sql = when === undefined ? ADD_AUDIT : `${ADD_AUDIT} WHERE ${when.sql}`;
  return { sql, values: { ...auditRow(at, id, entry), ...when?.values } };
}

export function auditRecordOf(row: AuditRow): AuditRecord {
  return {
    at: row.at,
    id: { stream: row.stream, key: row.key },
    action: row.action,
    resource: row.resource,
    serviceId: row.service_id ?? undefined,
    before: parseOptional(row.before),
    after: parseOptional(row.after),
    outcome: row.outcome,
    status: row.status ?? undefined,
    durationMs: row.duration_ms ?? undefined,
    by: row.actor === null ? undefined : actorOf(row),
  };
}
