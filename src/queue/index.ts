export type { Queue, QueueHandlers, QueueLocation, WakeOptions } from "./contract.ts";
