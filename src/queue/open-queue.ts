import { StopError, type Clock } from "#model";
import type { Logger } from "#telemetry";
import type { Backend } from "./bull/backend.ts";
import { privateLooks, sharedLooks, type Looks } from "./bull/looks.ts";
import { BullQueue, type BullQueueDeps } from "./bull/bull-queue.ts";
import type { Queue, QueueLocation } from "./contract.ts";
import { parseQueueAddress, type QueueAddress } from "./queue-address.ts";

export interface QueueDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens the queue. Does not fail if the server does not answer: calls reject until it is back, and then everything resumes automatically.
 * @throws {StopError} E_QUEUE_DENIED, E_QUEUE_VERSION, E_QUEUE_URL: waiting would not help.
 * @throws {StopError} E_REDIS_MISSING, E_REDIS_FAILED: a private server cannot be started.
 */
export async function openQueue(location: QueueLocation, { clock, logger }: QueueDeps): Promise<Queue> {
  // Backends and their clients are loaded only when needed: most commands need none.
  const queue = new BullQueue({ ...(await backendAt(location, logger)), clock, logger });
  try {
    await queue.ping();
  } catch (error) {
    if (!(error instanceof StopError)) return queue;
    await queue[Symbol.asyncDispose]();
    throw error;
  }
  return queue;
}

async function backendAt(
  location: QueueLocation,
  logger: Logger,
): Promise<Pick<BullQueueDeps, "backend" | "label" | "close">> {
  if (location.kind === "private") {
    const { PrivateServer } = await import("./private/private-server.ts");
    const server = await PrivateServer.start(location.dataDir, logger);
    return {
      backend: await redisBackend(parseQueueAddress(server.url), logger, privateLooks),
      label: "the private Redis server",
      close: () => server.end(),
    };
  }
  const place = parseQueueAddress(location.url, location.prefix);
  if (location.kind === "redis") return { backend: await redisBackend(place, logger, sharedLooks), label: place.label };
  const { PostgresBackend } = await import("./bull/postgres-backend.ts");
  return { backend: new PostgresBackend(place), label: place.label };
}

async function redisBackend(place: QueueAddress, logger: Logger, looks: Looks): Promise<Backend> {
  const { RedisBackend } = await import("./bull/redis-backend.ts");
  return new RedisBackend(place, logger, looks);
}
