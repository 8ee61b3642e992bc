import type { Cursor, ErrorFacts } from "#model";
import type { Adoption, StreamState } from "../facts.ts";
import { parseOptional, type JsonText } from "./json-text.ts";

export interface StreamRow {
  readonly sequence: number;
  readonly cursor: JsonText<Cursor> | null;
  readonly deletion_cursor: JsonText<Cursor> | null;
  readonly polled_at: number | null;
  readonly completed_at: number | null;
  readonly rows_read: number;
  readonly error: JsonText<ErrorFacts & { at: number }> | null;
  readonly first_load: number;
  readonly fingerprint: string | null;
  readonly adoption: Adoption["decision"] | null;
  readonly adoption_at: number | null;
}

export function streamOf(row: StreamRow | undefined): StreamState {
  return {
    cursor: parseOptional(row?.cursor ?? null) ?? null,
    deletionCursor: parseOptional(row?.deletion_cursor ?? null) ?? null,
    sequence: row?.sequence ?? 0,
    polledAt: row?.polled_at ?? undefined,
    completedAt: row?.completed_at ?? undefined,
    rowsRead: row?.rows_read ?? 0,
    error: parseOptional(row?.error ?? null),
    firstLoad: row === undefined || row.first_load === 1,
    fingerprint: row?.fingerprint ?? undefined,
    adoption: adoptionOf(row),
  };
}

function adoptionOf(row: StreamRow | undefined): Adoption | undefined {
  if (row === undefined || row.adoption === null) return undefined;
  return { decision: row.adoption, at: row.adoption_at ?? 0 };
}
