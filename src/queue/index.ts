export type { Queue, QueueHandlers, QueueLocation, WakeOptions } from "./contract.ts";
export { provideRedis, type RedisProgram } from "./redis-program.ts";
export { canInstallPackages, installPackages } from "./debian-packages.ts";
export { spawnGuarded, type GuardedChild, type GuardedChildOptions } from "./guarded-child.ts";
