import type { RecordId, StreamName } from "#model";
import { readReturns, readUpkeep, type ReturnStatus } from "#operator";
import { arrivalMs, streamStatus, type Delivery, type Observer, type PollFacts } from "#pipeline";
import { openMetrics, version, type Metrics, type Readings } from "#telemetry";
import type { SyncFile } from "#mapping";
import type { Queue } from "#queue";
import type { ServiceContext } from "#service";
import type { Systems } from "../systems/systems.ts";

/** Counts the work of the pipeline and the service client, and reads gauges on request. */
export class DaemonMetrics implements Observer {
  readonly metrics: Metrics;
  readonly requested: NonNullable<ServiceContext["requested"]>;
  #read: () => Promise<Readings> = () => Promise.resolve({});

  constructor() {
    this.metrics = openMetrics({ version, read: () => this.#read() });
    this.requested = (request) => this.metrics.requested(request);
  }

  /** Makes scrapes read these parts too. */
  watch(parts: Systems, syncFile: Pick<SyncFile, "streams" | "returns">, queue: Queue): void {
    this.#read = () => readings(parts, syncFile, queue);
  }

  delivered({ stream }: RecordId, delivery: Delivery): void {
    const end = delivery.kind === "done" ? delivery.outcome : delivery.kind;
    this.metrics.delivered(stream, end, delivery.durationMs);
    const ms = arrivalMs(delivery);
    if (ms !== undefined) this.metrics.arrived(stream, ms);
  }

  polled(stream: StreamName, facts: PollFacts): void {
    this.metrics.polled(stream, facts);
  }

  pollFailed(stream: StreamName): void {
    this.metrics.pollFailed(stream);
  }
}

async function readings(
  parts: Systems,
  { streams, returns }: Pick<SyncFile, "streams" | "returns">,
  queue: Queue,
): Promise<Readings> {
  const { store, service, clock } = parts;
  // Only the leader reports the store's gauges, so that their sum over all processes is right.
  if (!store.cluster.state.isLeader) return { service: service.state() };
  const statuses = await streamStatus(store, streams, clock);
  const depth = await queue.depth().catch(() => undefined);
  const { backup, drift, channels } = await readUpkeep(store);
  const back = await readReturns(store.returns, returns, clock.now());
  return {
    ...(back.length === 0 ? {} : { returns: new Map(back.map((status) => [status.name, returnReading(status)])) }),
    records: new Map(statuses.map(({ name, counts }) => [name, counts])),
    lagMs: new Map(statuses.flatMap(({ name, lagMs }) => (lagMs === undefined ? [] : [[name, lagMs] as const]))),
    held: new Map(statuses.map(({ name, holds }) => [name, holds.map(({ kind }) => kind)])),
    undeliveredMs: new Map(statuses.map(({ name, undeliveredMs = 0 }) => [name, undeliveredMs])),
    ...(backup?.verified ? { backupAgeMs: Math.max(0, clock.now() - backup.verified.at) } : {}),
    ...(drift?.drifts ? { drifts: drift.drifts } : {}),
    channels: new Map(
      channels.map(({ name, waiting, failure }) => {
        const failingMs = failure ? Math.max(0, clock.now() - failure.since) : 0;
        return [name, { waiting, failingMs }];
      }),
    ),
    ...(depth ? { queue: depth } : {}),
    queueKind: queue.kind,
    service: service.state(),
  };
}

function returnReading({ state, counts, unansweredMs, isOverdue, mark }: ReturnStatus) {
  const heldBy = [
    mark?.held && "guard",
    mark?.paused && "pause",
    mark?.error && "error",
    state === "unlisted" && "unlisted",
  ];
  return { counts, unansweredMs, isOverdue, heldBy: heldBy.filter((by) => typeof by === "string") };
}
