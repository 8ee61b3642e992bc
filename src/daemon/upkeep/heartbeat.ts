import type { HttpClient } from "#http";
import { counted, errorFacts, errorText, repeatedly, type Clock, type ErrorFacts } from "#model";
import { roughDuration } from "#operator";
import type { StreamStatus } from "#pipeline";
import type { Logger } from "#telemetry";
import type { Readiness } from "#web";

/** Whether svcsync can prove that it is in sync with the ERP. `pending`: it has not had the time yet. */
export type SyncProof =
  | { readonly kind: "proven" }
  | { readonly kind: "pending" }
  | { readonly kind: "failed"; readonly reason: string };

export interface HeartbeatDeps {
  readonly http: Pick<HttpClient, "call">;
  readonly url: string;
  readonly everyMs: number;
  readonly prove: () => Promise<SyncProof>;
  readonly logger: Logger;
}

/**
 * Calls a dead-man switch when svcsync is proven to work, and reports the reason when it is not. The switch raises the alarm when calls
 * stop, so it also notices when this process, its machine or its network is down.
 */
export class Heartbeat {
  readonly #deps: HeartbeatDeps;
  #isRefused = false;
  #failure: string | undefined;

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    await repeatedly(this.#deps.everyMs, () => this.beat(signal), signal);
  }

  /** Makes one call, or none while nothing is proven yet. `stopped`: the daemon cannot continue. Never throws. */
  async beat(signal: AbortSignal, stopped?: ErrorFacts): Promise<void> {
    const { prove, logger } = this.#deps;
    const proof =
      stopped === undefined
        ? await prove().catch((thrown: unknown) => failedBy(errorFacts(thrown)))
        : failedBy(stopped);
    if (proof.kind === "pending") return;
    const reason = proof.kind === "failed" ? proof.reason : undefined;
    if (reason !== undefined && this.#failure === undefined) logger.warn({ reason }, "heartbeat failed");
    if (reason === undefined && this.#failure !== undefined) logger.info({}, "heartbeat is back");
    this.#failure = reason;
    await (reason === undefined ? this.#alive(signal) : this.#failed(reason, signal));
  }

  async #alive(signal: AbortSignal): Promise<void> {
    const { http, url } = this.#deps;
    await this.#tell(async () => {
      const { status } = await http.call({ method: "GET", url, signal });
      if (status >= 300) throw new Error(`${new URL(url).host} answered ${status}`);
    }, signal);
  }

  /** A switch that does not support `/fail` raises its alarm because no call arrives. */
  async #failed(reason: string, signal: AbortSignal): Promise<void> {
    const { http, url } = this.#deps;
    const failUrl = new URL(url);
    failUrl.pathname = `${failUrl.pathname.replace(/\/$/, "")}/fail`;
    const headers = { "content-type": "text/plain; charset=utf-8" };
    await this.#tell(() => http.call({ method: "POST", url: failUrl.href, headers, body: reason, signal }), signal);
  }

  async #tell(call: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { logger } = this.#deps;
    try {
      await call();
      this.#isRefused = false;
    } catch (thrown) {
      if (signal.aborted) return;
      if (!this.#isRefused) logger.warn({ err: errorFacts(thrown) }, "heartbeat was not accepted");
      this.#isRefused = true;
    }
  }
}

function failedBy(error: ErrorFacts): SyncProof {
  return { kind: "failed", reason: errorText(error) };
}

/** How long an undelivered change still counts as on its way, in milliseconds. */
const STUCK_MS = 60 * 60_000;

/** The part of a stream's status that shows whether svcsync follows it. */
type Polled = Pick<StreamStatus, "name" | "undeliveredMs" | "holds" | "deletionsHeld"> & {
  readonly cursor: Pick<StreamStatus["cursor"], "completedAt" | "error">;
};

/**
 * {@link proofOf} with the current time as start. If the clock is set back, the start moves with it; otherwise no poll would count for
 * hours.
 */
export function proving(clock: Clock): (readiness: Pick<Readiness, "parts">, streams: readonly Polled[]) => SyncProof {
  let startedAt = clock.now();
  return (readiness, streams) => {
    startedAt = Math.min(startedAt, clock.now());
    return proofOf(readiness, streams, startedAt);
  };
}

/**
 * Proves that svcsync is in sync: every part works, and every stream was polled since `startedAt`, does not fail and waits for no person.
 * While something is paused, the result is `pending` rather than failed.
 */
export function proofOf({ parts }: Pick<Readiness, "parts">, streams: readonly Polled[], startedAt: number): SyncProof {
  const broken = Object.entries(parts).flatMap(([name, said]) =>
    said === "ok" ? [] : [`${name}: ${errorText(said)}`],
  );
  const failing = streams.flatMap(({ name, cursor: { error } }) =>
    error === undefined ? [] : [`${name}: polls fail: ${errorText(error)}`],
  );
  const held = streams.flatMap(({ name, holds, deletionsHeld }) => [
    ...holds.filter(({ needsPerson }) => needsPerson).map(({ reason }) => `${name} is held: ${reason}`),
    ...(deletionsHeld > 0
      ? [`${name}: the deletion guard holds ${counted(deletionsHeld, "deletion")} (E_DELETION_HELD)`]
      : []),
  ]);
  const stuck = streams.flatMap(({ name, undeliveredMs = 0, holds }) =>
    holds.length === 0 && undeliveredMs > STUCK_MS
      ? [`${name}: a change has not been delivered for ${roughDuration(undeliveredMs)}`]
      : [],
  );
  const reasons = [...broken, ...failing, ...held, ...stuck];
  if (reasons.length > 0) return { kind: "failed", reason: reasons.join("\n") };
  const isPolled = streams.every(({ cursor: { completedAt = 0 } }) => completedAt >= startedAt);
  return { kind: isPolled && !streams.some(isBehindHold) ? "proven" : "pending" };
}

/** Whether a hold keeps changes from being read or delivered. A hold of deliveries alone does not, as long as no change is waiting. */
function isBehindHold({ holds, undeliveredMs }: Polled): boolean {
  return holds.some(({ kind, polls }) => polls || kind === "change" || undeliveredMs !== undefined);
}
