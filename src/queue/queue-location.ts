import type { InProcessJobs } from "./in-process/jobs.ts";

/**
 * How to open a queue, chosen by QUEUE_URL. Without one it is svcsync's "own": a private Redis server if its program is on the PATH,
 * else in-process. `prefix` separates installations that share a server; `?prefix=name` in the URL takes
 * precedence. A URL of kind "redis" is `redis://`, `rediss://` (TLS), `unix:///path` (a socket), or
 * `redis+sentinel://host:26379,host:26379/mymaster/0` (`rediss+sentinel://`).
 */
export type QueueLocation =
  | { readonly kind: "redis" | "postgres"; readonly url: string; readonly prefix?: string }
  | { readonly kind: "own"; readonly dataDir: string }
  | { readonly kind: "in-process"; readonly jobs: InProcessJobs };
