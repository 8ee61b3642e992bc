import { z } from "zod";
import { RECORD_STATES, type Actor, type Key, type RecordId } from "#model";
import { ANSWERS, answerEntry, expectAnswerable, revivable } from "../../answers.ts";
import type { OperatorStore } from "../../contract/operator.ts";
import { expectServiceId } from "../../refusals.ts";
import { auditRow } from "../../rows/audit-row.ts";
import { stateList } from "../../rows/state-list.ts";
import { Refusal } from "../connection/failures.ts";
import type { SameSql } from "../../roles/same-sql.ts";
import type { Database } from "../database.ts";
import { IS_OPEN } from "../functions/deletions.ts";
import { partsOf } from "../in-parts.ts";
import { refusable } from "../refused.ts";
import { call, fill, isIn, isKey, isRecord, type SqlValue } from "../sql.ts";

/** The state of a record that could not be answered. */
const standing = z.object({
  state: z.enum(RECORD_STATES),
  errorCode: z.string().nullable(),
  resource: z.string().nullable(),
  serviceId: z.number().nullable(),
});

/** What people see and decide. */
export function operatorStore(db: Database): Omit<OperatorStore, keyof SameSql> {
  const { clock, clean } = db;
  const resolve = async (id: RecordId, answer: Parameters<OperatorStore["resolve"]>[1], by: Actor | undefined) => {
    const binding = answer.kind === "bind" ? answer.binding : undefined;
    if (binding) expectServiceId(id, binding);
    const { kind } = answer;
    const now = clock.now();
    const entry = auditRow(now, id, { ...answerEntry(answer, binding?.resource ?? "", binding), by: clean(by) });
    const { resource, serviceId } = binding ?? {};
    const text = call("resolve", id.stream, id.key, kind, ANSWERS[kind], resource, serviceId, entry, now);
    await refusable(id, db.lateWaking.after(text), binding);
  };
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
    async resolve(id, answer, by) {
      try {
        await resolve(id, answer, by);
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        const { state, errorCode, resource, serviceId } = standing.parse(JSON.parse(thrown.detail));
        const bound = resource === null || serviceId === null ? undefined : { resource, serviceId };
        expectAnswerable(id, answer, { state, bound, errorCode });
      }
    },
    async openDeletions(stream, limit) {
      const [count] = await db.read<{ count: number }>(
        `SELECT count(*) AS count FROM deletions d WHERE d.stream = @stream AND ${IS_OPEN}`,
        { stream },
      );
      const examples = await db.read<{ key: Key }>(
        `SELECT o.key FROM deletions d JOIN records o ON o.id = d.record
         WHERE d.stream = @stream AND ${IS_OPEN} ORDER BY o.key LIMIT @limit`,
        { stream, limit },
      );
      return { count: count?.count ?? 0, examples: examples.map(({ key }) => key) };
    },
    async deletionCount(stream, { since, confirmedAt }) {
      const [row] = await db.read<{ count: number }>(
        `SELECT count_deletions(@stream, @since, @confirmedAt, NULL) AS count`,
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
