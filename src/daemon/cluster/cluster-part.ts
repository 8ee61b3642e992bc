import { errorFacts, RetryError } from "#model";
import type { StreamHolds } from "#pipeline";
import type { Queue } from "#queue";
import type { Service } from "#service";
import type { ClusterState, Cluster } from "#store";
import type { Logger } from "#telemetry";
import { DELIVERIES_PER_REQUEST } from "../assembly.ts";

/**
 * How much work may wait for the service's rate limit, in seconds at that limit. It covers delays of the store and the heartbeats; more
 * would keep records from replicas that could deliver them.
 */
const AHEAD_SECONDS = 2;

export interface ClusterPartDeps {
  readonly cluster: Pick<Cluster, "state" | "follow" | "reportNow">;
  readonly service: Pick<Service, "fence" | "held" | "limits" | "onPause" | "setLimits" | "setShare" | "state">;
  readonly queue: Pick<Queue, "setConcurrency" | "setDelivering" | "underWay">;
  readonly holds: Pick<StreamHolds, "look">;
  /** How many concurrent requests the service can take. */
  readonly ceiling: number;
  readonly logger: Logger;
}

/**
 * This process as one of the replicas of a store. It takes its share of the requests and reports when it leads. It delivers while the store
 * confirms it, its mapping is the leader's and the service answers it. A daemon that works alone leads from the start.
 */
export class ClusterPart {
  readonly #deps: ClusterPartDeps;
  readonly #leads = Promise.withResolvers<void>();
  #state: ClusterState;
  /** Handles one heartbeat at a time; the next one retries what failed. */
  #obeyed: Promise<void> = Promise.resolve();
  #isWaiting = false;
  #isDelivering = true;
  readonly #ended = new AbortController();

  constructor(deps: ClusterPartDeps) {
    this.#deps = deps;
    this.#state = deps.cluster.state;
  }

  /** Resolves when this replica leads; it then leads until it ends. */
  get leads(): Promise<void> {
    return this.#leads.promise;
  }

  /** Whether the service answers other replicas but not this one, which then leaves deliveries to them. */
  get isUnserved(): boolean {
    return this.#state.othersServed > 0 && this.#deps.service.state().state !== "closed";
  }

  /** Checks of `/readyz` that must pass: this process is in charge of its share, and the service answers it if it answers others. */
  get needed() {
    return { replica: async () => this.#check() };
  }

  /** Only reported: otherwise a rolling restart with another sync file would never finish. */
  get reported() {
    return { mapping: async () => this.#checkMapping() };
  }

  #check(): void {
    const { unconfirmed } = this.#state;
    if (unconfirmed) throw new RetryError(unconfirmed.code, unconfirmed.message);
    if (!this.isUnserved) return;
    throw new RetryError("E_REPLICA_UNSERVED", "the service answers other replicas, but not this one");
  }

  #checkMapping(): void {
    if (this.#state.isAgreed || this.#state.isLeader) return;
    throw new RetryError(
      "E_REPLICA_MAPPING",
      "the leader has another sync file or version, or has not started; this replica delivers nothing",
    );
  }

  /** Starts to follow the state of the replicas. The returned function ends that; afterwards this process only sends heartbeats. */
  begin(): () => Promise<void> {
    const { cluster, service, ceiling } = this.#deps;
    const { signal } = this.#ended;
    const isServed = () => service.state().state === "closed";
    const report = () => ({ held: service.held(), isServed: isServed(), ceiling, ...service.limits() });
    service.onPause(() => cluster.reportNow());
    cluster.follow(report, (state) => this.#change(state, signal));
    return async () => {
      this.#ended.abort();
      cluster.follow(report, () => undefined);
      await this.#obeyed;
    };
  }

  #change(state: ClusterState, signal: AbortSignal): void {
    const { service, queue, logger } = this.#deps;
    this.#state = state;
    // A replica that is no longer needed leaves deliveries without a request to the others.
    const share = state.isNeeded || queue.underWay() === 0 ? state.share : 0;
    if (share !== undefined) service.setShare(share);
    service.setLimits(state);
    if (share !== undefined) queue.setConcurrency(deliveriesAtOnce(share, service.state().perSecond));
    if (state.isLeader) this.#leads.resolve();
    // A waiting update will use the newest state.
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#obeyed = this.#obeyed
      .then(() => {
        this.#isWaiting = false;
        return this.#obey(signal);
      })
      .catch((thrown: unknown) => logger.warn({ err: errorFacts(thrown) }, "share of the deliveries was not taken"));
  }

  async #obey(signal: AbortSignal): Promise<void> {
    const { queue, holds, logger } = this.#deps;
    const isConfirmed = this.#state.unconfirmed === undefined;
    if (isConfirmed && this.#state.mustFence && this.#state.isLeader) await this.#fence();
    const { isAgreed, isNeeded, mustFence, share } = this.#state;
    const mayDeliver = isConfirmed && isAgreed && isNeeded && !mustFence && !this.isUnserved && share !== 0;
    if (mayDeliver === this.#isDelivering || signal.aborted) return;
    // The leader may have put streams on hold before it started.
    if (mayDeliver) await holds.look();
    await queue.setDelivering(mayDeliver);
    this.#isDelivering = mayDeliver;
    const why = { isConfirmed, isAgreed, isUnserved: this.isUnserved, isNeeded, share };
    if (mayDeliver) logger.info(why, "replica delivers");
    else logger.info(why, "replica pauses deliveries");
  }

  /** Ends the session of a lost daemon. Nothing can be claimed until then, so each heartbeat retries it. */
  async #fence(): Promise<void> {
    const { service, logger } = this.#deps;
    await service
      .fence()
      .catch((thrown: unknown) =>
        logger.warn({ err: errorFacts(thrown) }, "session of a lost daemon was not ended yet"),
      );
  }
}

function deliveriesAtOnce(share: number, perSecond = Infinity): number {
  return Math.max(1, Math.min(share * DELIVERIES_PER_REQUEST, share + Math.ceil(perSecond * AHEAD_SECONDS)));
}
