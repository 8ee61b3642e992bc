import { RetryError, recordLabel } from "#model";
import type { PrivacyStore } from "../../contract/people/privacy.ts";
import { forgottenError } from "../../facts.ts";
import { expectForgettable } from "../../forgettable.ts";
import { leftOut, unknownRecord } from "../../refusals.ts";
import { auditRow } from "../../rows/audit-row.ts";
import { bindingOf, type RecordRow } from "../../rows/record-row.ts";
import { Refusal } from "../connection/failures.ts";
import type { Database } from "../database.ts";
import { call, isRecord } from "../sql.ts";

/** Overwrites what is stored of a record's contents. */
export function privacyStore(db: Database): PrivacyStore {
  return {
    async forget(id, by) {
      const { stream, key } = id;
      const sql = `SELECT * FROM record_rows r WHERE ${isRecord("r", "@stream", "@key")}`;
      const [record] = await db.read<RecordRow>(sql, { stream, key });
      if (record === undefined) throw unknownRecord(id);
      expectForgettable(id, record);
      const { resource = "", serviceId } = bindingOf(record) ?? {};
      const now = db.clock.now();
      const entry = { action: "forget", resource, serviceId, outcome: "forgotten", by: db.clean(by) } as const;
      const { state, sequence, doubts } = record;
      const skipped = JSON.stringify(leftOut(forgottenError.message));
      const unreadable = JSON.stringify(forgottenError);
      const known = [record.id, stream, key, state, sequence, doubts] as const;
      try {
        const step = call("forget", ...known, "forget", skipped, unreadable, auditRow(now, id, entry), now);
        await db.lateWaking.after(step);
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        throw new RetryError("E_STORE_LOCKED", `${recordLabel(id)} changed at this moment: forget it again`);
      }
    },
  };
}
