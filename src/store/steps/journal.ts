import type { Projection, ResourceName } from "#model";
import type { Claim, InFlight } from "../claim.ts";
import type { KnownOfCreate } from "../contract/deliveries.ts";
import { createsNote, writesNote } from "../facts.ts";
import { refused } from "../refusals.ts";
import { storedInFlight } from "../rows/in-flight.ts";
import { answerIntent, countLook, endIntent, openIntent } from "../statements/intents.ts";
import { countUp } from "../statements/notes.ts";
import type { HeldRow } from "../statements/records.ts";
import { markWritten } from "../statements/written.ts";
import { holding } from "./claim.ts";
import type { Step, WrittenRows } from "./step.ts";

/** Steps that keep the claim: what is journalled before and after a request to the service. */
type JournalStep<Value> = Step<{ held: HeldRow }, Value>;

const NOTHING_IN_FLIGHT: InFlight = { kind: "update", fields: {} };

export function beginCreate(
  claim: Claim,
  { resource, projection }: { readonly resource: ResourceName; readonly projection: Projection },
  now: number,
): JournalStep<number> {
  return holding(claim, ({ id, service_id, begun }) => {
    if (service_id !== null) throw refused(claim, "is bound and cannot begin a create");
    if (begun === 1) throw refused(claim, "has an open create and cannot begin another");
    const intent = openIntent({ record: id, resource, projection: JSON.stringify(projection), now });
    return { writes: [intent, countUp({ name: createsNote.name })], valueFrom: lastTotal };
  });
}

export function markInFlight(claim: Claim, inFlight: InFlight = NOTHING_IN_FLIGHT): JournalStep<number> {
  return holding(claim, ({ id, service_id }) => {
    if (service_id === null) throw refused(claim, "is not bound and cannot be updated");
    const mark = markWritten({ record: id, doubts: JSON.stringify(storedInFlight(inFlight)) });
    return { writes: [mark, countUp({ name: writesNote.name })], valueFrom: lastTotal };
  });
}

const NOTED: { readonly [Known in KnownOfCreate]: typeof endIntent } = {
  absent: endIntent,
  answered: answerIntent,
  notFound: countLook,
};

export function noteCreate(claim: Claim, known: KnownOfCreate): JournalStep<void> {
  return holding(claim, ({ id, begun }) => {
    if (begun === 0) throw refused(claim, "has no open create");
    return { writes: [NOTED[known]({ record: id })], value: undefined };
  });
}

/** The total that the last write of a step counted. */
function lastTotal(rows: WrittenRows): number {
  const [counted] = rows.at(-1) ?? [];
  return counted !== undefined && "total" in counted ? Number(counted.total) : 0;
}
