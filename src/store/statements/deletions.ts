import { FIRST_GUARDED } from "../lanes.ts";
import { TOLD_BEFORE } from "../schedule.ts";
import { statement } from "./statement.ts";

/** What a deletion about to be carried out must know of its stream. */
export interface ToldRow {
  /** When the deletion was announced, now if it was not. */
  readonly told_at: number;
  /** How many other deletions of the stream count, up to a limit. */
  readonly others: number;
  /** 1 if another change that was staged no later is still to be delivered and may be a deletion too. */
  readonly behind: number;
}

/** Condition: the deletion `d` is open. A parked one is not, because it already waits for a person. */
export const IS_OPEN_DELETION = `d.done = 0 AND EXISTS
  (SELECT 1 FROM records o WHERE o.id = d.record AND o.state IN ('due', 'claimed', 'waiting'))`;

const TOLD_AT = "coalesce((SELECT told_at FROM deletions WHERE record = @record AND done = 0), @now)";
/** Other records, staged no later than the deletion, that are to be delivered now. */
const BEFORE = `
  FROM records r WHERE r.stream = @stream AND r.id <> @record AND r.changed_at <= ${TOLD_AT} AND r.backfill < ${FIRST_GUARDED}
    AND r.state IN ('claimed', 'due') AND (r.state = 'claimed' OR r.due_at <= @now)`;

export const findTold = statement<
  { record: number; stream: string; since: number; confirmedAt: number; limit: number; now: number },
  ToldRow
>({
  name: "find_told",
  takes: {
    record: "integer",
    stream: "text",
    since: "integer",
    confirmedAt: "integer",
    limit: "integer",
    now: "integer",
  },
  sql: () => `
    SELECT t.told_at,
      CASE WHEN t.told_at <= @confirmedAt THEN 0 ELSE (SELECT count(*) FROM (
        SELECT 1 FROM deletions d WHERE d.stream = @stream AND d.told_at > @confirmedAt AND d.record <> @record
          AND ((${IS_OPEN_DELETION}) OR (d.done = 1 AND d.told_at > @since)) LIMIT @limit) c) END AS others,
      CASE WHEN t.told_at > @confirmedAt AND (
        EXISTS (SELECT 1 FROM (SELECT r.id ${BEFORE} LIMIT ${TOLD_BEFORE}) e
          WHERE NOT EXISTS (SELECT 1 FROM deletions d WHERE d.record = e.id AND d.done = 0))
        OR EXISTS (SELECT 1 ${BEFORE} LIMIT 1 OFFSET ${TOLD_BEFORE})) THEN 1 ELSE 0 END AS behind
    FROM (SELECT ${TOLD_AT} AS told_at) t`,
});

export const announceDeletion = statement<{ record: number; stream: string; now: number }>({
  name: "announce_deletion",
  takes: { record: "integer", stream: "text", now: "integer" },
  sql: ({ rows }) => `
    INSERT INTO deletions (record, stream, told_at) ${rows("@record, @stream, @now")}
    ON CONFLICT (record) DO UPDATE SET told_at = excluded.told_at, done = 0 WHERE deletions.done = 1`,
});

export const endDeletion = statement<{ record: number }>({
  name: "end_deletion",
  takes: { record: "integer" },
  sql: ({ from }) => `UPDATE deletions SET done = 1 ${from} WHERE record = @record`,
});

/** Forgets an open deletion, because the record stays. */
export const forgetDeletion = statement<{ record: number }>({
  name: "forget_deletion",
  takes: { record: "integer" },
  sql: ({ using }) => `DELETE FROM deletions ${using} WHERE record = @record AND done = 0`,
});
