import { errorText } from "#model";
import { duration } from "#operator";
import type { StreamStatus } from "#pipeline";
import type { Readiness } from "#web";
import type { Proof } from "./heartbeat.ts";

/** A change that could not be delivered for this long is not on its way any more. */
const STUCK_MS = 60 * 60_000;

/** What of a stream's status tells whether it is followed. */
type Polled = Pick<StreamStatus, "name" | "undeliveredMs" | "holds" | "deletionsHeld"> & {
  readonly cursor: Pick<StreamStatus["cursor"], "completedAt" | "error">;
};

/**
 * What proves that svcsync is in sync: every part works, and every stream was polled since `startedAt`, does not fail and waits for
 * no person. While something is paused nothing is proven, and nothing has failed.
 */
export function proofOf({ parts }: Pick<Readiness, "parts">, streams: readonly Polled[], startedAt: number): Proof {
  const broken = Object.entries(parts).flatMap(([name, said]) =>
    said === "ok" ? [] : [`${name}: ${errorText(said)}`],
  );
  const failing = streams.flatMap(({ name, cursor: { error } }) =>
    error === undefined ? [] : [`${name}: polls fail: ${errorText(error)}`],
  );
  const held = streams.flatMap(({ name, holds, deletionsHeld }) => [
    ...holds.filter(({ needsPerson }) => needsPerson).map(({ reason }) => `${name} is held: ${reason}`),
    ...(deletionsHeld ? [`${name}: the guard holds deletions (E_DELETION_HELD)`] : []),
  ]);
  const stuck = streams.flatMap(({ name, undeliveredMs = 0, holds }) =>
    holds.length === 0 && undeliveredMs > STUCK_MS
      ? [`${name}: a change has not been delivered for ${duration(undeliveredMs)}`]
      : [],
  );
  const reasons = [...broken, ...failing, ...held, ...stuck];
  if (reasons.length > 0) return { kind: "failed", reason: reasons.join("\n") };
  const isPolled = streams.every(({ cursor: { completedAt = 0 } }) => completedAt >= startedAt);
  return { kind: isPolled && !streams.some(isBehindHold) ? "proven" : "pending" };
}

/** A hold keeps changes from being seen or delivered; one of deliveries alone does not while there are none. */
function isBehindHold({ holds, undeliveredMs }: Polled): boolean {
  return holds.some(({ kind, polls }) => polls || kind === "change" || undeliveredMs !== undefined);
}
