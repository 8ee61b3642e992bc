import type { IntakeStore } from "../../contract/intake.ts";
import type { SameSql } from "../../roles/same-sql.ts";
import { intakeRoles } from "../../steps/intake-roles.ts";
import { stateList } from "../../rows/state-list.ts";
import { statesMovedTo } from "../../transitions.ts";
import type { Database } from "../database.ts";
import { partsOf } from "../in-parts.ts";
import { fill } from "../sql.ts";

const ADD_STREAM = "INSERT INTO streams (stream) VALUES (@stream) ON CONFLICT DO NOTHING";
const KEEP_FIRST = "UPDATE streams SET fingerprint = @fingerprint WHERE stream = @stream AND fingerprint IS NULL";
const IS_KNOWN = "SELECT 1 FROM streams WHERE stream = @stream AND fingerprint = @fingerprint";
/** Updates claimed records, then due ones, then the others, which become due. */
const MAKE_DUE = [
  "UPDATE records SET again = 1 WHERE id = ANY (@ids) AND state = 'claimed'",
  "UPDATE records SET due_at = least(due_at, @now), attempts = 0, error = NULL WHERE id = ANY (@ids) AND state = 'due'",
  `UPDATE records SET state = 'due', due_at = @now, attempts = 0, error = NULL, backfill = 1
   WHERE id = ANY (@ids) AND state IN (${stateList(statesMovedTo("due", "remap"))})`,
];
const KEEP = "UPDATE streams SET fingerprint = @fingerprint WHERE stream = @stream";

/** Stores what polls read. */
export function intakeStore(db: Database): Omit<IntakeStore, keyof SameSql> {
  const { clock } = db;
  return {
    ...intakeRoles(db, clock),
    async remap(stream, fingerprint) {
      const values = { stream, fingerprint };
      const begin = [KEEP_FIRST, IS_KNOWN].map((sql) => fill(sql, values));
      const begun = await db.step([fill(ADD_STREAM, { stream }), ...begin]);
      if (begun.at(-1)?.rowCount === 1) return 0;
      let count = 0;
      for (const { ids } of await partsOf(db, "id", "records WHERE stream = @stream", { stream })) {
        const made = await db.step(MAKE_DUE.map((sql) => fill(sql, { ids, now: clock.now() })));
        count += made.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
      }
      // An interrupted remap starts over.
      await db.step([fill(KEEP, values)]);
      return count;
    },
  };
}
