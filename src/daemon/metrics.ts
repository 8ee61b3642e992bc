import type { RecordId, StreamName } from "#model";
import { streamStatus, type Delivery, type Observer, type PollFacts } from "#pipeline";
import { openMetrics, type Metrics, type Readings } from "#telemetry";
import type { Stream } from "#mapping";
import type { Queue } from "#queue";
import type { Parts } from "./parts.ts";
import { version } from "./version.ts";

/** Counts what the pipeline does, and reads the rest when somebody asks. */
export function daemonMetrics(
  parts: Parts,
  streams: readonly Stream[],
  queue: Queue,
): { metrics: Metrics; observer: Observer } {
  const metrics = openMetrics({ version, read: () => readings(parts, streams, queue) });
  return {
    metrics,
    observer: {
      delivered: ({ stream }: RecordId, delivery: Delivery) =>
        metrics.delivered(stream, delivery.kind === "done" ? delivery.outcome : delivery.kind, delivery.durationMs),
      polled: (stream: StreamName, facts: PollFacts) => metrics.polled(stream, facts),
      pollFailed: (stream: StreamName) => metrics.pollFailed(stream),
    },
  };
}

async function readings(parts: Parts, streams: readonly Stream[], queue: Queue): Promise<Readings> {
  const { store, service, clock } = parts;
  const statuses = await streamStatus(store, streams, clock);
  const depth = await queue.depth().catch(() => undefined);
  return {
    records: new Map(statuses.map(({ name, counts }) => [name, counts])),
    lagMs: new Map(statuses.flatMap(({ name, lagMs }) => (lagMs === undefined ? [] : [[name, lagMs] as const]))),
    ...(depth ? { queue: depth } : {}),
    service: service.state(),
  };
}
