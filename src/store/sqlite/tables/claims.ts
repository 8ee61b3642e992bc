import type { Database } from "better-sqlite3";
import type { Clock } from "#model";
import type { Logger } from "#telemetry";
import { LatestMoment } from "./latest-moment.ts";
import { Notes } from "./notes.ts";

/**
 * Makes every claimed record due at its old place in the order and returns how many. Only for the single daemon, before its workers start.
 * An interrupted create is then looked for before the rest of a backfill, not after it.
 */
export function giveBackClaims(db: Database, clock: Clock, logger: Logger): number {
  // By stream, because the index begins with it. Reading the whole table would dominate the start and fill the cache for good.
  const giveBack = db.prepare<[number]>(`
    UPDATE records SET state = 'due', token = NULL, due_at = min(changed_at, ?), again = 0
    WHERE stream IN (SELECT stream FROM streams) AND state = 'claimed'`);
  const moment = new LatestMoment(new Notes(db, logger), clock);
  return db.transaction(() => {
    moment.note();
    return giveBack.run(clock.now()).changes;
  })();
}
