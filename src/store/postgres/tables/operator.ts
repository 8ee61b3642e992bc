import type { Key } from "#model";
import { revivable } from "../../answers.ts";
import type { OperatorStore } from "../../contract/operator.ts";
import { stateList } from "../../rows/state-list.ts";
import type { SameSql } from "../../roles/same-sql.ts";
import type { Database } from "../database.ts";
import { IS_OPEN_DELETION } from "../../statements/deletions.ts";
import { partsOf } from "../in-parts.ts";
import { fill, isIn, isKey, isRecord, type SqlValue } from "../sql.ts";

/** What people see and decide. */
export function operatorStore(db: Database): Omit<OperatorStore, keyof SameSql | "resolve"> {
  const { clock, clean } = db;
  return {
    async retryNow({ stream, key, states }, by) {
      const revived = revivable(states);
      if (revived.length === 0) return 0;
      const { name: actor, via, why } = clean(by) ?? {};
      const retry = async (which: string, values: Readonly<Record<string, SqlValue>>) => {
        const where = `${which} AND ${isIn("r", revived)}`;
        const note = `
          INSERT INTO audit (at, stream, key, action, resource, outcome, actor, via, why)
          SELECT @now, r.stream, r.key, 'retry', '', 'due again', @actor, @via, @why FROM records r WHERE ${where}`;
        const move = `UPDATE records r SET state = 'due', due_at = @now, attempts = 0, error = NULL WHERE ${where}`;
        const all = { ...values, now: clock.now(), actor, via, why };
        const results = await db.step([...(by ? [note] : []), move].map((sql) => fill(sql, all)));
        return results.at(-1)?.rowCount ?? 0;
      };
      if (key !== undefined)
        return retry(stream === undefined ? isKey("r.key", "@key") : isRecord("r", "@stream", "@key"), { stream, key });
      const ofStream = stream === undefined ? "" : "AND stream = @stream";
      const held = `records WHERE state IN (${stateList(revived)}) ${ofStream}`;
      let count = 0;
      for (const { ids } of await partsOf(db, "id", held, { stream }))
        count += await retry("r.id = ANY (@ids)", { ids });
      return count;
    },
    async openDeletions(stream, limit) {
      const [count] = await db.read<{ count: number }>(
        `SELECT count(*) AS count FROM deletions d WHERE d.stream = @stream AND ${IS_OPEN_DELETION}`,
        { stream },
      );
      const examples = await db.read<{ key: Key }>(
        `SELECT o.key FROM deletions d JOIN records o ON o.id = d.record
         WHERE d.stream = @stream AND ${IS_OPEN_DELETION} ORDER BY o.key LIMIT @limit`,
        { stream, limit },
      );
      return { count: count?.count ?? 0, examples: examples.map(({ key }) => key) };
    },
    async deletionCount(stream, { since, confirmedAt }) {
      const [row] = await db.read<{ count: number }>(
        `SELECT count(*) AS count FROM deletions d WHERE d.stream = @stream AND d.told_at > @confirmedAt
           AND ((${IS_OPEN_DELETION}) OR (d.done = 1 AND d.told_at > @since))`,
        {
          stream,
          since,
          confirmedAt,
        },
      );
      return row?.count ?? 0;
    },
  };
}
