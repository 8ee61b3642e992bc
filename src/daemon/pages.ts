import type { RecordId } from "#model";
import { StopError } from "#model";
import { streamStatus, type Relay } from "#pipeline";
import type { Queue } from "#queue";
import { secretTexts } from "#settings";
import { redactor, type Metrics } from "#telemetry";
import { startWeb, type Overview, type StatusSource, type Web } from "#web";
import type { Configuration, Parts } from "./parts.ts";
import { version } from "./version.ts";

/** Entries of a record's history that its page shows. */
const HISTORY = 50;

/**
 * Serves health, metrics and the status page of a running daemon on HEALTH_PORT.
 * @throws {StopError} E_HEALTH_PORT when the port is taken.
 */
export function servePages(
  { settings, secrets, syncFile, logger }: Configuration,
  parts: Parts,
  queue: Queue,
  relay: Relay,
  metrics: Metrics,
): Promise<Web> {
  return startWeb(settings.health, {
    status: statusSource(parts, syncFile.streams, queue, relay),
    ready: readiness(parts, queue),
    metrics,
    redact: redactor(secretTexts(secrets, settings.environment)),
    clock: parts.clock,
    logger,
    version,
  });
}

function statusSource(
  { store, service, clock }: Parts,
  streams: Configuration["syncFile"]["streams"],
  queue: Queue,
  relay: Relay,
): StatusSource {
  const startedAt = clock.now();
  return {
    overview: async (): Promise<Overview> => ({
      startedAt,
      streams: await streamStatus(store, streams, clock),
      service: service.state(),
      queue: await queue.depth().catch(() => undefined),
    }),
    records: (query) => store.records(query),
    record: async (id: RecordId) => {
      const record = await store.record(id);
      return record && { record, history: await store.audit({ id, limit: HISTORY }) };
    },
    retry: async (id: RecordId) => {
      const count = await store.retryNow({ ...id, states: ["waiting", "parked", "skipped"] });
      relay.nudge();
      return count;
    },
  };
}

/** What `/readyz` asks. A breaker that is open says enough: no request is made to ask again. */
function readiness({ store, service, clock }: Parts, queue: Queue) {
  return {
    // A write proves more than a read: a full disk shows at once.
    store: () => store.saveNote("readiness", clock.now()),
    queue: () => queue.ping(),
    service: async (signal: AbortSignal) => {
      if (service.state().state === "open") throw new StopError("E_SERVICE_DOWN", "the service does not answer");
      await service.ping(signal);
    },
  };
}
