import type { Projection, RecordId } from "#model";
import type { AuditEntry } from "../claim.ts";
import { inFlightOf, storedInFlight } from "../rows/in-flight.ts";
import { parseOptional } from "../rows/json-text.ts";
import { bindingOf } from "../rows/record-row.ts";
import { audited } from "../statements/audit.ts";
import { findRecord, repairRecord, type ClaimableRow } from "../statements/records.ts";
import { markWritten } from "../statements/written.ts";
import { COMPARED_STILL, statesMovedTo } from "../transitions.ts";
import type { Step } from "./step.ts";

const MOVED = statesMovedTo("due", "recheck");

interface Finding {
  /** The fields that differ. */
  readonly fields: Projection;
  readonly audit: AuditEntry | undefined;
  /** Whether a record that no delivery holds keeps its state, and its next write sends the fields. */
  readonly anyState: boolean;
}

/** Makes a record due whose counterpart in the service was found to differ. Gives whether it changed anything. */
export function recheckRecord(
  id: RecordId,
  { fields, audit, anyState }: Finding,
  now: number,
): Step<{ record: ClaimableRow }, boolean> {
  const { stream, key } = id;
  return {
    record: id,
    facts: { record: [findRecord({ stream, key })] },
    decide({ record: [record] }) {
      const isMoved = record !== undefined && MOVED.includes(record.state);
      if (record === undefined || bindingOf(record) === undefined || !(isMoved || (anyState && isStill(record))))
        return { writes: [], value: false };
      const doubts = JSON.stringify(storedInFlight({ kind: "drift", fields }));
      return {
        writes: [
          markWritten({ record: record.id, doubts }),
          ...audited(id, audit, now),
          ...(isMoved ? [repairRecord({ record: record.id, now })] : []),
        ],
        value: true,
      };
    },
  };
}

/** Whether a record that no delivery holds keeps its state when it is compared, and has no request in flight. */
function isStill({ state, doubts }: ClaimableRow): boolean {
  const inFlight = inFlightOf(parseOptional(doubts));
  return COMPARED_STILL.includes(state) && (inFlight === undefined || inFlight.kind === "drift");
}
