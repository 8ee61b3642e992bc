import type { StreamName } from "#model";
import type { ScheduleStore } from "../../contract/schedule.ts";
import type { DueRecord } from "../../facts.ts";
import { AGED, inTurn } from "../../schedule.ts";
import type { Database } from "../database.ts";
import type { Moment } from "../moment.ts";
import { errorCode, fill, head } from "../sql.ts";
import { PostgresSetBack } from "./set-back.ts";

/** The first due records of a stream, read from the index `records_due` alone. */
const DUE = `
  (SELECT stream, key, due_at FROM records
   WHERE stream = @stream AND backfill = @backfill AND due_at <= @now ORDER BY due_at, ${head("key")}, key LIMIT @limit)`;

const FIRST = `
  (SELECT due_at FROM records WHERE stream = @stream AND backfill = @backfill AND due_at IS NOT NULL
   @BESIDES ORDER BY due_at LIMIT 1)`;
const BESIDES = `
  AND due_at <= @after AND coalesce(${errorCode("error")}, '') NOT IN (SELECT json_array_elements_text(@errors))`;

const UNDELIVERED = `
  SELECT min(changed_at) AS at FROM (
    SELECT id, state, changed_at, sequence FROM records
    WHERE stream = @stream AND backfill = 0 AND due_at IS NOT NULL ORDER BY due_at LIMIT ${AGED}) r
  WHERE (r.state = 'due' OR NOT EXISTS (SELECT 1 FROM waits WHERE child = r.id))
    AND NOT EXISTS (SELECT 1 FROM written w WHERE w.record = r.id AND w.sequence = r.sequence)`;

/** What is due, and when. */
export function scheduleStore(db: Database, moment: Moment): ScheduleStore {
  const { clock } = db;
  const setBack = new PostgresSetBack(db, moment);
  const due = async (streams: readonly StreamName[], limit: number, backfill: boolean): Promise<DueRecord[]> => {
    if (limit <= 0 || streams.length === 0) return [];
    const now = clock.now();
    const each = streams.map((stream) => fill(DUE, { stream, backfill, now, limit }));
    const rows = await db.read<{ stream: string; key: string; due_at: number }>(each.join(" UNION ALL "));
    return inTurn(rows, limit, backfill);
  };
  return {
    async due({ limit, streams }) {
      const live = await due(streams, limit, false);
      return [...live, ...(await due(streams, limit - live.length, true))];
    },
    async nextDueAt(streams, leftOut) {
      if (streams.length === 0) return undefined;
      const sql = FIRST.replace("@BESIDES", leftOut === undefined ? "" : BESIDES);
      const each = streams.flatMap((stream) =>
        [false, true].map((backfill) => fill(sql, { stream, backfill, ...leftOut })),
      );
      const [row] = await db.read<{ at: number | null }>(
        `SELECT min(due_at) AS at FROM (${each.join(" UNION ALL ")}) first`,
      );
      return row?.at ?? undefined;
    },
    async undeliveredSince(stream) {
      const [row] = await db.read<{ at: number | null }>(UNDELIVERED, { stream });
      return row?.at ?? undefined;
    },
    clockSetBack: (byMs) => setBack.follow(byMs),
    latestMoment: () => setBack.latestMoment(),
  };
}
