import { needsPersonCount, type StreamStatus } from "#pipeline";
import { healsItself } from "./remedies.ts";

/** `person`: a person has to act. `time`: something fails and is retried. `none`: everything is in sync or on its way. */
export type Urgency = "person" | "time" | "none";

/** What records mean that wait for a parent which will not come: a note, or a problem that needs a person. */
export type BlockedPolicy = "note" | "problem";

type Facts = Pick<StreamStatus, "state" | "counts" | "cursor" | "deletionsHeld" | "blocked">;

/** How urgent the state of all streams is: the one rule behind exit codes and the colour of the page. */
export function urgencyOf(statuses: readonly Facts[], blocked: BlockedPolicy): Urgency {
  if (statuses.some((status) => needsPerson(status, blocked))) return "person";
  return statuses.some(({ state }) => state === "failing") ? "time" : "none";
}

function needsPerson(status: Facts, policy: BlockedPolicy): boolean {
  const { state, cursor, deletionsHeld, blocked } = status;
  return (
    state === "held" ||
    needsPersonCount(status) > 0 ||
    deletionsHeld ||
    (cursor.error !== undefined && !healsItself(cursor.error.code)) ||
    (policy === "problem" && blocked > 0)
  );
}
