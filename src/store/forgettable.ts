import { ParkError, recordLabel, type RecordId, type RecordState } from "#model";
import { inFlightOf } from "./rows/in-flight.ts";
import { parseOptional } from "./rows/json-text.ts";
import type { RecordRow } from "./rows/record-row.ts";
import { allows } from "./transitions.ts";

/** The content hash of a forgotten record. No content has this hash, so the next row from the ERP is always a change. */
export const NO_HASH = "forgotten";

/** @throws {ParkError} E_NOT_FORGETTABLE while something of the record is still to be delivered. */
export function expectForgettable(id: RecordId, record: RecordRow): void {
  const obstacle = obstacleOf(record);
  if (obstacle === undefined) return;
  const message = `${recordLabel(id)} cannot be forgotten now: ${obstacle}`;
  throw new ParkError("E_NOT_FORGETTABLE", message, { details: { state: record.state } });
}

/** What is still to be delivered, or was sent without a known result. */
function obstacleOf({ state, deleted, intent_resource: intent, doubts }: RecordRow): string | undefined {
  const inFlight = inFlightOf(parseOptional(doubts));
  if (intent !== null) return `a create of ${intent} was begun, and its end is not known`;
  if (!allows(state, "forget")) return WAITING[state];
  if (deleted === 1 && (state === "waiting" || state === "parked")) return "its deletion is still to be carried out";
  if (inFlight !== undefined && inFlight.kind !== "drift") return `the end of its last ${inFlight.kind} is not known`;
  return undefined;
}

const WAITING: Readonly<Partial<Record<RecordState, string>>> = {
  due: "a change of it is still to be delivered",
  claimed: "it is being delivered",
};
