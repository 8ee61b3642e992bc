import { StopError, type Clock } from "#model";
import type { Logger } from "#telemetry";
import { BullQueue } from "./bull-queue.ts";
import type { Queue, QueueLocation } from "./contract.ts";
import { parsePlace } from "./location.ts";
import { PostgresBackend } from "./postgres-backend.ts";
import { PrivateServer } from "./private/private-server.ts";
import { RedisBackend } from "./redis-backend.ts";

export interface QueueParts {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens the queue. A server that does not answer is no reason to fail: its calls reject until it is back, and everything
 * goes on by itself then.
 * @throws {StopError} E_QUEUE_DENIED, E_QUEUE_VERSION, E_QUEUE_URL: waiting would not help.
 * @throws {StopError} E_REDIS_MISSING, E_REDIS_FAILED: there is no private server to be had.
 */
export async function openQueue(location: QueueLocation, { clock, logger }: QueueParts): Promise<Queue> {
  const queue = await build(location, { clock, logger });
  try {
    await queue.ping();
  } catch (error) {
    if (!(error instanceof StopError)) return queue;
    await queue[Symbol.asyncDispose]();
    throw error;
  }
  return queue;
}

async function build(location: QueueLocation, { clock, logger }: QueueParts): Promise<BullQueue> {
  if (location.kind === "private") {
    const server = await PrivateServer.start(location.dataDir, logger);
    const backend = new RedisBackend(parsePlace(server.url), logger);
    return new BullQueue({ backend, label: "the private Redis server", clock, logger, close: () => server.end() });
  }
  const place = parsePlace(location.url, location.prefix);
  const backend = location.kind === "redis" ? new RedisBackend(place, logger) : new PostgresBackend(place);
  return new BullQueue({ backend, label: place.label, clock, logger });
}
