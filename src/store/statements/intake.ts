import type { RecordState } from "#model";
import type { Dialect } from "../roles/access.ts";
import { statement } from "./statement.ts";

/** Length of a content hash, in characters. */
export const HASH_LENGTH = 32;

/** A row that was read, by its place in the batch, and the record that it differs from. `id` and the others are null if there is none. */
export type NewsRow = { readonly at: number } & (StagedRow | { readonly id: null });

export interface StagedRow {
  readonly id: number;
  readonly hash: string;
  readonly state: RecordState;
  readonly sequence: number;
  readonly deleted: number;
  readonly due_at: number | null;
  readonly backfill: number;
  /** 1 if it is bound to a record of the service. */
  readonly bound: number;
}

const KNOWN = `
  r.id, r.hash, r.state, r.sequence, r.deleted, r.due_at, r.backfill,
  CASE WHEN b.record IS NULL THEN 0 ELSE 1 END AS bound`;
/** A join, because a server could read all bindings for a condition that one exists. */
const BINDING = "LEFT JOIN bindings b ON b.record = r.id";

const KEY = `substr(n.value, ${HASH_LENGTH + 1})`;
const HASH = `substr(n.value, 1, ${HASH_LENGTH})`;

/**
 * The rows that differ from the store. Each of `news` is the hash and the key of one row. Each record is found by a look-up of its own: a
 * server that cannot estimate how many rows there are would read all records for a join.
 */
export const findDifferent = statement<{ stream: string; news: readonly string[] }, NewsRow>({
  name: "find_different",
  takes: { stream: "text", news: "list" },
  sql: ({ isOf, each }) => `
    SELECT n.at, ${KNOWN} FROM ${each("@news")} n
    LEFT JOIN records r ON r.id = (SELECT o.id FROM records o WHERE ${isOf("o", "@stream", KEY)}) ${BINDING}
    WHERE r.hash IS DISTINCT FROM ${HASH}`,
});

/** The record of one row whose hash or key does not fit into such a text. */
export const findKnown = statement<{ stream: string; key: string; at: number }, NewsRow>({
  name: "find_known",
  takes: { stream: "text", key: "text", at: "integer" },
  sql: ({ isOf }) => `SELECT @at AS at, ${KNOWN} FROM records r ${BINDING} WHERE ${isOf("r", "@stream", "@key")}`,
});

/** How many changes a stream has had; no row before its first. */
export const findSequence = statement<{ stream: string }, { sequence: number }>({
  name: "find_sequence",
  takes: { stream: "text" },
  sql: () => "SELECT sequence FROM streams WHERE stream = @stream",
});

/** The greatest number of a record. */
export const findLastRecord = statement<object, { id: number }>({
  name: "find_last_record",
  takes: {},
  sql: () => "SELECT coalesce(max(id), 0) AS id FROM records",
});

export const addStream = statement<{ stream: string }>({
  name: "add_stream",
  takes: { stream: "text" },
  sql: ({ rows }) => `INSERT INTO streams (stream) ${rows("@stream")}`,
});

/** The records of rows that follow each other: so do their numbers and their sequences. */
export const addNewRecords = statement<{
  stream: string;
  news: readonly string[];
  first: number;
  sequence: number;
  backfill: number;
  now: number;
}>({
  name: "add_new_records",
  takes: { stream: "text", news: "list", first: "integer", sequence: "integer", backfill: "integer", now: "integer" },
  sql: (dialect) => `
    INSERT INTO records (id, stream, key, state, hash, sequence, backfill, due_at, changed_at)
    SELECT @first + n.at, @stream, ${KEY}, 'due', ${HASH}, @sequence + n.at, @backfill, @now, @now ${fromEach(dialect)}`,
});

function fromEach({ from, each }: Dialect): string {
  return from === "" ? `FROM ${each("@news")} n` : `${from} CROSS JOIN LATERAL ${each("@news")} n`;
}

export const addRecord = statement<{
  record: number;
  stream: string;
  key: string;
  hash: string;
  sequence: number;
  backfill: number;
  now: number;
  error: string | null;
}>({
  name: "add_record",
  takes: {
    record: "integer",
    stream: "text",
    key: "text",
    hash: "text",
    sequence: "integer",
    backfill: "integer",
    now: "integer",
    error: "text",
  },
  sql: ({ rows }) => `
    INSERT INTO records (id, stream, key, state, hash, sequence, backfill, due_at, changed_at, error, unreadable)
    ${rows("@record, @stream, @key, 'due', @hash, @sequence, @backfill, @now, @now, @error, @error")}`,
});

export const addContents = statement<{ record: number; row: string }>({
  name: "add_contents",
  takes: { record: "integer", row: "text" },
  sql: ({ rows }) => `INSERT INTO contents (record, row) ${rows("@record, @row")}`,
});

export const saveContents = statement<{ record: number; row: string }>({
  name: "save_contents",
  takes: { record: "integer", row: "text" },
  sql: ({ from }) => `UPDATE contents SET row = @row ${from} WHERE record = @record`,
});

export const changeRecord = statement<{
  record: number;
  state: string;
  hash: string;
  sequence: number;
  deleted: number;
  backfill: number;
  dueAt: number | null;
  again: number;
  now: number;
  error: string | null;
}>({
  name: "change_record",
  takes: {
    record: "integer",
    state: "text",
    hash: "text",
    sequence: "integer",
    deleted: "integer",
    backfill: "integer",
    dueAt: "integer",
    again: "integer",
    now: "integer",
    error: "text",
  },
  sql: ({ from }) => `
    UPDATE records SET state = @state, hash = @hash, sequence = @sequence, deleted = @deleted, backfill = @backfill, attempts = 0,
      due_at = @dueAt, again = @again, changed_at = @now, error = @error, unreadable = @error ${from} WHERE id = @record`,
});

/** Stores how many changes the stream has had. */
export const countChanges = statement<{ stream: string; sequence: number }>({
  name: "count_changes",
  takes: { stream: "text", sequence: "integer" },
  sql: ({ from }) => `UPDATE streams SET sequence = @sequence ${from} WHERE stream = @stream`,
});

/** Moves the cursor after a batch. `rows` is added to the count of the current poll. */
export const moveCursor = statement<{ stream: string; cursor: string; rows: number; complete: number; now: number }>({
  name: "move_cursor",
  takes: { stream: "text", cursor: "text", rows: "integer", complete: "integer", now: "integer" },
  sql: ({ from }) => `
    UPDATE streams SET cursor = @cursor, polled_at = @now, error = NULL,
      completed_at = CASE WHEN @complete = 1 THEN @now ELSE completed_at END,
      rows_read = CASE WHEN poll_open = 1 THEN rows_read ELSE 0 END + @rows,
      poll_open = 1 - @complete,
      first_load = CASE WHEN @complete = 1 THEN 0 ELSE first_load END
    ${from} WHERE stream = @stream`,
});

export const moveDeletionCursor = statement<{ stream: string; cursor: string }>({
  name: "move_deletion_cursor",
  takes: { stream: "text", cursor: "text" },
  sql: ({ from }) => `UPDATE streams SET deletion_cursor = @cursor ${from} WHERE stream = @stream`,
});
