export type { LogFields, Logger } from "./logger.ts";
export { openLogger, type LogOptions } from "./pino-logger.ts";
export { latencyBoundsMs, type DeliveryEnd, type Metrics, type Readings } from "./metrics.ts";
export { metricsType, openMetrics, type MetricsOptions } from "./prometheus.ts";
export { openTraces, type TracedWork, type Traces, type TracesOptions } from "./traces.ts";
export { isSecretField, redacted, redactedMark, Redaction, type Redact } from "./redaction.ts";
export { version, versionText } from "./version.ts";
