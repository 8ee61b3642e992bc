import type { StopError, StreamName } from "#model";
import {
  AdoptionGate,
  Leases,
  Matcher,
  observeAll,
  Poller,
  Relay,
  Sweeper,
  Synchronizer,
  type Observer,
} from "#pipeline";
import type { QueueHandlers, QueueLocation } from "#queue";
import { secretTexts, type Secrets, type Settings } from "#settings";
import type { Store } from "#store";
import type { Stream } from "#mapping";
import { redactor, type Logger } from "#telemetry";
import { startWeb } from "#web";
import { Closing } from "./closing.ts";
import { DeliveryLog } from "./delivery-log.ts";
import { Housekeeping } from "./housekeeping.ts";
import { daemonMetrics } from "./metrics.ts";
import { openParts, type Configuration, type Parts } from "./parts.ts";
import { QueueConnection } from "./queue-connection.ts";
import { readiness, statusSource } from "./status-source.ts";
import { version } from "./version.ts";

/** Deliveries that run at once, per request that may: while one waits for its answer another is mapped and stored. */
const DELIVERIES_PER_REQUEST = 2;
/** Wake-ups that may be out, per delivery that may run: enough to keep workers busy between two looks into the store. */
const WINDOW_PER_DELIVERY = 16;
const WINDOW_MIN = 128;

export interface DaemonOptions {
  readonly observers?: readonly Observer[];
  /** Health, metrics and the status page on HEALTH_PORT. */
  readonly web?: boolean;
  /** `scheduled` polls each stream at its interval for ever; `once` polls each stream one time. */
  readonly polls: "scheduled" | "once";
}

/** The running daemon. Disposing it stops in the order of the data: polling, relaying, running jobs, queue, store. */
export interface Daemon extends AsyncDisposable {
  readonly parts: Parts;
  readonly gate: AdoptionGate;
  readonly relay: Relay;
  readonly queue: QueueConnection;
  /** Where the status page is, if it was asked for. */
  readonly url: string | undefined;
  /** Resolves with the error that ends the daemon; stays pending as long as it can go on. */
  readonly failure: Promise<StopError>;
}

/** Where the queue runs, by QUEUE_URL. */
export function queueLocation(
  { queue, dataDir }: Pick<Settings, "queue" | "dataDir">,
  secrets: Secrets,
): QueueLocation {
  return queue.kind === "private" ? { kind: "private", dataDir } : { kind: queue.kind, url: secrets.queueUrl! };
}

/**
 * Opens the parts and sets the loops going.
 * @throws {StopError} when a part cannot be had: the store belongs to another daemon, its disk is full, …
 */
export async function startDaemon(configuration: Configuration, options: DaemonOptions): Promise<Daemon> {
  const closing = new Closing();
  try {
    const parts = await openParts(configuration, "daemon", closing);
    await remapChanged(parts.store, configuration.syncFile.streams, configuration.logger);
    return await run(configuration, options, parts, closing);
  } catch (thrown) {
    await closing[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** A stream whose mapping changed is mapped again, record by record; only what differs is sent. */
async function remapChanged(store: Store, streams: readonly Stream[], logger: Logger): Promise<void> {
  for (const { name, fingerprint } of streams) {
    const count = await store.remap(name, fingerprint);
    if (count > 0) logger.info({ stream: name, count }, "mapping changed, records are mapped again");
  }
}

async function run(
  configuration: Configuration,
  options: DaemonOptions,
  parts: Parts,
  closing: Closing,
): Promise<Daemon> {
  const { settings, secrets, syncFile, logger } = configuration;
  const { store, clock } = parts;
  const [failure, fail] = failureOnce();
  const summary = closing.use(new DeliveryLog(logger));
  const counted = daemonMetrics(parts, syncFile.streams, () => queue);
  const observer = observeAll([...(options.observers ?? []), summary, counted.observer]);
  const deliveries = settings.service.concurrency * DELIVERIES_PER_REQUEST;
  const common = { ...parts, logger, observer };
  const streams = new Map(syncFile.streams.map((stream) => [stream.name, stream]));
  const matcher = new Matcher({ ...common, maxAgeMs: settings.service.matchMaxAgeMs }, syncFile.streams);
  const nudge = () => relay.nudge();
  const gate = new AdoptionGate({ ...common, matcher, opened: nudge, stop: fail }, syncFile.streams);
  const queue = new QueueConnection(queueLocation(settings, secrets), clock, logger);
  const web = options.web
    ? closing.use(
        await startWeb(settings.health, {
          status: statusSource(parts, syncFile.streams, queue, nudge),
          ready: readiness(parts, queue),
          metrics: counted.metrics,
          redact: redactor(secretTexts(secrets, settings.environment)),
          clock,
          logger,
          version,
        }),
      )
    : undefined;
  const window = Math.max(WINDOW_MIN, deliveries * WINDOW_PER_DELIVERY);
  const relay = new Relay({ ...common, queue, streams: () => gate.open(), window });
  const sweeper = new Sweeper({
    ...common,
    streams,
    intervalMs: settings.polling.sweepIntervalMs,
    guard: settings.guard,
  });
  const poller = new Poller({ ...common, sources: parts.sources.streams, sweeper, nudge });
  const synchronizer = new Synchronizer({
    ...common,
    matcher,
    leases: closing.use(new Leases(store, settings.delivery.leaseMs)),
    streams,
    policy: settings.delivery,
    stop: fail,
  });
  const handlers: QueueHandlers = {
    deliver: (id, signal) => synchronizer.deliver(id, signal).finally(() => relay.answered(id)),
    poll: (stream, signal) => poller.poll(stream, signal),
  };

  const loops = new AbortController();
  const running = Promise.all([
    queue.run({ handlers, concurrency: deliveries, polls: pollPlan(configuration, options) }, fail, loops.signal),
    relay.run(loops.signal),
    gate.run(loops.signal),
    new Housekeeping(store, clock, logger, settings.delivery.auditKeepDays).run(loops.signal),
  ]);
  closing.defer(async () => {
    loops.abort();
    await queue.close(settings.delivery.stopGraceMs);
    await running;
  });
  return {
    parts,
    gate,
    relay,
    queue,
    url: web?.url,
    failure,
    [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
  };
}

function pollPlan({ settings, syncFile }: Configuration, { polls }: DaemonOptions) {
  return new Map<StreamName, { everyMs: number } | undefined>(
    syncFile.streams.map(({ name, everyMs }) => [
      name,
      polls === "once" ? undefined : { everyMs: everyMs ?? settings.polling.intervalMs },
    ]),
  );
}

function failureOnce(): [Promise<StopError>, (error: StopError) => void] {
  let fail: (error: StopError) => void = () => {};
  const failure = new Promise<StopError>((resolve) => {
    fail = resolve;
  });
  return [failure, fail];
}
