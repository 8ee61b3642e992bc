export { sharedQueueName } from "./queue-address.ts";
export type { MarkName, Queue, QueueHandlers, QueueLocation, WakeOptions } from "./contract.ts";
export { openQueue, type QueueDeps } from "./open-queue.ts";
export { findRedis, getRedis, type RedisProgram } from "./private/redis-program.ts";
export { spawnGuarded, type GuardedChild, type GuardedChildOptions } from "./private/guarded-child.ts";
