import type { ErrorFacts, RecordId, ReturnContent, ReturnId, ReturnKind, ReturnState, StreamName } from "#model";
import type { StoredReturn } from "../contract/returns.ts";
import { parseOptional, type JsonText } from "./json-text.ts";

export interface ReturnRow {
  readonly stream: string;
  readonly subject: string;
  readonly version: number;
  readonly kind: ReturnKind;
  readonly service_id: number | null;
  readonly replaces: number | null;
  readonly hash: string;
  readonly content: JsonText<ReturnContent> | null;
  readonly state: ReturnState;
  readonly prepared_at: number;
  readonly delivered_at: number | null;
  readonly result: "ok" | "refused" | null;
  readonly document: string | null;
  readonly message: string | null;
  readonly answered_at: number | null;
  readonly following: "due" | "done" | null;
  readonly attempts: number;
  readonly due_at: number;
  readonly error: JsonText<ErrorFacts> | null;
  readonly head: string | null;
}

const NO_CONTENT: ReturnContent = { fields: {}, lines: [] };

export function returnOf(row: ReturnRow): StoredReturn {
  return {
    stream: row.stream,
    subject: row.subject,
    version: row.version,
    kind: row.kind,
    serviceId: row.service_id ?? undefined,
    replaces: row.replaces ?? undefined,
    hash: row.hash,
    content: parseOptional(row.content) ?? NO_CONTENT,
    state: row.state,
    preparedAt: row.prepared_at,
    deliveredAt: row.delivered_at ?? undefined,
    answer:
      row.result === null || row.answered_at === null
        ? undefined
        : {
            result: row.result,
            document: row.document ?? undefined,
            message: row.message ?? undefined,
            at: row.answered_at,
          },
    following: row.following ?? undefined,
    attempts: row.attempts,
    dueAt: row.due_at,
    error: parseOptional(row.error),
    head: row.head ?? undefined,
  };
}

/** Under which name the history has what people did to a return. */
export function historyOf({ stream, subject }: Pick<ReturnId, "stream" | "subject">): RecordId {
  return { stream: returnHistory(stream), key: subject };
}

/** The stream under which the history has what people did to a stream of returns. */
export function returnHistory(stream: string): StreamName {
  return `returns/${stream}`;
}

/** The values that name a return in a statement. */
export function keyValuesOf({ stream, subject, version }: ReturnId) {
  return { of: stream, subject, version };
}
