export { sharedQueueName } from "./queue-address.ts";
export type { MarkName, Queue, QueueHandlers, QueueKind, WakeOptions } from "./contract.ts";
export type { QueueLocation } from "./queue-location.ts";
export { openQueue, type QueueDeps } from "./open-queue.ts";
export { InProcessJobs } from "./in-process/jobs.ts";
export { spawnGuarded, type GuardedChild, type GuardedChildOptions } from "./private/guarded-child.ts";
