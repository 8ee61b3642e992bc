import { StopError, type Clock } from "#model";
import type { Logger } from "#telemetry";
import type { Backend } from "./bull/backend.ts";
import { privateLooks, sharedLooks, type Looks } from "./bull/looks.ts";
import { BullQueue, type BullQueueDeps } from "./bull/bull-queue.ts";
import type { Queue } from "./contract.ts";
import { InProcessQueue } from "./in-process/in-process-queue.ts";
import { InProcessJobs } from "./in-process/jobs.ts";
import { findRedis } from "./private/redis-program.ts";
import { parseQueueAddress, type QueueAddress } from "./queue-address.ts";
import type { QueueLocation } from "./queue-location.ts";

export interface QueueDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Opens the queue. Does not fail if the server does not answer: calls reject until it is back, and then everything resumes automatically.
 * @throws {StopError} E_QUEUE_DENIED, E_QUEUE_VERSION, E_QUEUE_URL: waiting would not help.
 * @throws {StopError} E_REDIS_FAILED: a private server cannot be started.
 */
export async function openQueue(location: QueueLocation, deps: QueueDeps): Promise<Queue> {
  if (location.kind === "in-process") return new InProcessQueue(location.jobs, deps.logger);
  if (location.kind === "own") return await ownQueue(location.dataDir, deps);
  return await ready({ kind: location.kind, ...(await backendAt(location, deps.logger)), ...deps });
}

/** The choice without QUEUE_URL: a private server where its program is on the PATH, else a queue in this process. */
async function ownQueue(dataDir: string, { clock, logger }: QueueDeps): Promise<Queue> {
  const { program, passedOver } = await findRedis();
  if (program === undefined) {
    logger.info({ why: passedOver.join("; ") }, "started the in-process queue, without a Redis server");
    return new InProcessQueue(new InProcessJobs(), logger);
  }
  const { PrivateServer } = await import("./private/private-server.ts");
  const server = await PrivateServer.start(program, dataDir, logger);
  return await ready({
    kind: "private",
    backend: await redisBackend(parseQueueAddress(server.url), logger, privateLooks),
    label: "the private Redis server",
    close: () => server.end(),
    clock,
    logger,
  });
}

/** Opens the queue and closes it again if it can never be used. */
async function ready(deps: BullQueueDeps): Promise<Queue> {
  const queue = new BullQueue(deps);
  try {
    await queue.ping();
  } catch (error) {
    if (!(error instanceof StopError)) return queue;
    await queue[Symbol.asyncDispose]();
    throw error;
  }
  return queue;
}

/** Backends and their clients are loaded only when needed: most commands need none. */
async function backendAt(
  location: Extract<QueueLocation, { url: string }>,
  logger: Logger,
): Promise<Pick<BullQueueDeps, "backend" | "label">> {
  const place = parseQueueAddress(location.url, location.prefix);
  if (location.kind === "redis") return { backend: await redisBackend(place, logger, sharedLooks), label: place.label };
  const { PostgresBackend } = await import("./bull/postgres-backend.ts");
  return { backend: new PostgresBackend(place), label: place.label };
}

async function redisBackend(place: QueueAddress, logger: Logger, looks: Looks): Promise<Backend> {
  const { RedisBackend } = await import("./bull/redis-backend.ts");
  return new RedisBackend(place, logger, looks);
}
