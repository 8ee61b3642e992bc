import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";
import { latencyBoundsMs, type Metrics, type Readings } from "./metrics.ts";
import { openGauges } from "./gauges.ts";

/** The media type of {@link Metrics.text}. */
export const metricsType = Registry.PROMETHEUS_CONTENT_TYPE;

/** Buckets in seconds: from a look-up in a local network to the longest call that the default settings allow. */
const durationBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Buckets in seconds: from a poll that finds nothing to a first load. */
const pollBuckets = [0.05, 0.25, 1, 5, 15, 60, 300, 1800];
/**
 * How often the library samples the event loop's delay, in milliseconds; its result includes this pause. At the default of 10 ms, sampling
 * took half of an idle daemon's processor time.
 */
const loopLookMs = 1_000;

export interface MetricsOptions {
  readonly version: string;
  /** Called once per scrape. */
  readonly read: () => Promise<Readings>;
}

/** Creates metrics in their own registry, so that two daemons in one process do not mix. */
export function openMetrics({ version, read }: MetricsOptions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopLookMs });
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name, help, labelNames, buckets, registers: [registry] });
  const deliveries = counter("svcsync_deliveries_total", "Deliveries by stream and how they ended.", "stream", "end");
  const deliverySeconds = histogram(
    "svcsync_delivery_duration_seconds",
    "Time of one delivery, from the claim to its end.",
    durationBuckets,
    "stream",
  );
  const requestSeconds = histogram(
    "svcsync_service_request_duration_seconds",
    "Requests to the service by resource, method and status (none: no answer came).",
    durationBuckets,
    "resource",
    "method",
    "status",
  );
  const pollSeconds = histogram(
    "svcsync_poll_duration_seconds",
    "Time of one poll that reached its end.",
    pollBuckets,
    "stream",
  );
  const pollRows = counter(
    "svcsync_poll_rows_total",
    "Rows read from the ERP, and those of them that had really changed.",
    "stream",
    "kind",
  );
  const pollFailures = counter("svcsync_poll_failures_total", "Polls that failed.", "stream");
  const latency = histogram(
    "svcsync_change_latency_seconds",
    "From the poll that first saw a change to the service holding it.",
    latencyBoundsMs.map((bound) => bound / 1000),
    "stream",
  );
  const notifications = counter(
    "svcsync_notifications_total",
    "Messages to people by channel, and whether the channel took them.",
    "channel",
    "result",
  );
  const gauges = openGauges(registry, version);

  return {
    delivered(stream, end, durationMs) {
      deliveries.inc({ stream, end });
      deliverySeconds.observe({ stream }, durationMs / 1000);
    },
    arrived: (stream, sinceChangeMs) => latency.observe({ stream }, sinceChangeMs / 1000),
    requested({ resource, method, status, durationMs }) {
      requestSeconds.observe({ resource, method, status: status ?? "none" }, durationMs / 1000);
    },
    polled(stream, { rowsRead, changed, durationMs }) {
      pollSeconds.observe({ stream }, durationMs / 1000);
      pollRows.inc({ stream, kind: "read" }, rowsRead);
      pollRows.inc({ stream, kind: "changed" }, changed);
    },
    pollFailed(stream) {
      pollFailures.inc({ stream });
    },
    notified: (channel, result) => notifications.inc({ channel, result }),
    async text() {
      gauges.set(await read().catch((): Readings => ({})));
      return registry.metrics();
    },
  };
}
