import { StopError, type RecordId } from "#model";
import { streamStatus } from "#pipeline";
import type { Stream } from "#mapping";
import type { Overview, StatusSource } from "#web";
import type { Parts } from "./parts.ts";
import type { QueueConnection } from "./queue-connection.ts";

/** Entries of a record's history that its page shows. */
const HISTORY = 50;

/** What the pages show, read from the parts of the running daemon. */
export function statusSource(
  parts: Parts,
  streams: readonly Stream[],
  queue: QueueConnection,
  nudge: () => void,
): StatusSource {
  const { store, service, clock } = parts;
  const startedAt = clock.now();
  return {
    overview: async (): Promise<Overview> => ({
      startedAt,
      streams: await streamStatus(store, streams, clock),
      service: service.state(),
      queue: await queue.current?.depth().catch(() => undefined),
    }),
    records: (query) => store.records(query),
    record: async (id: RecordId) => {
      const record = await store.record(id);
      return record && { record, history: await store.audit({ id, limit: HISTORY }) };
    },
    retry: async (id: RecordId) => {
      const count = await store.retryNow({ ...id, states: ["waiting", "parked", "skipped"] });
      nudge();
      return count;
    },
  };
}

/** What `/readyz` asks. A breaker that is open says enough: no request is made to ask again. */
export function readiness({ store, service }: Parts, queue: QueueConnection) {
  return {
    store: () => store.check(),
    queue: () => queue.ping(),
    service: async (signal: AbortSignal) => {
      if (service.state().state === "open") throw new StopError("E_SERVICE_DOWN", "the service does not answer");
      await service.ping(signal);
    },
  };
}
