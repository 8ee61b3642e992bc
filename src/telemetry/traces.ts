import { errorFacts } from "#model";
import type { Logger } from "./logger.ts";

/** How long a shutdown waits for a collector that does not answer, in milliseconds. */
const sendTimeoutMs = 5_000;

/** A piece of work in a trace. Instants are milliseconds since 1970. */
export interface TracedWork {
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly facts?: Readonly<Record<string, string | number>>;
  /** Why it failed. */
  readonly error?: string | undefined;
  readonly parts?: readonly TracedWork[];
}

/** Sends traces to an OpenTelemetry collector. Disposing sends what is left. */
export interface Traces extends AsyncDisposable {
  /** Records work in the trace `trace` (32 hexadecimal digits). Never throws and never waits. If the collector is slow, work is dropped. */
  record(trace: string, work: TracedWork): void;
}

export interface TracesOptions {
  /** The collector's address; /v1/traces is added to it. */
  readonly endpoint: string;
  readonly version: string;
  readonly logger: Logger;
}

/** Loads the OpenTelemetry libraries, which are not loaded before. */
export async function openTraces({ endpoint, version, logger }: TracesOptions): Promise<Traces> {
  const [{ ROOT_CONTEXT, SpanStatusCode, trace: api }, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
  const url = `${endpoint.replace(/\/$/, "")}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: sendTimeoutMs });
  const random = new sdk.RandomIdGenerator();
  let nextTrace: string | undefined;
  let wasHeard = true;
  const sayUnsent = (reason: unknown) => {
    if (wasHeard) logger.warn({ err: errorFacts(reason) }, "traces were not sent");
    wasHeard = false;
  };
  const sender = {
    export(...[spans, done]: Parameters<typeof exporter.export>) {
      exporter.export(spans, (result) => {
        if (result.error === undefined) wasHeard = true;
        else sayUnsent(result.error);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": "svcsync", "service.version": version }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: sender, exportTimeoutMillis: sendTimeoutMs })],
    idGenerator: {
      generateTraceId: () => nextTrace ?? random.generateTraceId(),
      generateSpanId: () => random.generateSpanId(),
    },
  });
  const tracer = provider.getTracer("svcsync", version);
  const record = (work: TracedWork, context: typeof ROOT_CONTEXT): void => {
    const span = tracer.startSpan(work.name, { startTime: work.startedAt, attributes: { ...work.facts } }, context);
    if (work.error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: work.error });
    for (const part of work.parts ?? []) record(part, api.setSpan(context, span));
    span.end(work.endedAt);
  };
  return {
    record(trace, work) {
      nextTrace = trace;
      record(work, ROOT_CONTEXT);
      nextTrace = undefined;
    },
    // The time-out of shutdown may come before the exporter's own.
    [Symbol.asyncDispose]: () => provider.shutdown().catch(sayUnsent),
  };
}
