import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InProcessJobs } from "#queue";
import { startPostgres } from "../setup/postgres.ts";
import { startRedis } from "../setup/redis.ts";
import { describeQueue } from "./queue.ts";

let places = 0;
const nextPrefix = () => `test_${++places}`;

describeQueue("Redis", async () => {
  const redis = await startRedis();
  return {
    fresh: async () => ({ kind: "redis", url: `${redis.url}?prefix=${nextPrefix()}` }),
    [Symbol.asyncDispose]: () => redis[Symbol.asyncDispose](),
  };
});

describeQueue("PostgreSQL", async () => {
  const postgres = await startPostgres();
  return {
    fresh: async () => ({ kind: "postgres", url: `${postgres.url}?prefix=${nextPrefix()}` }),
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  };
});

describeQueue("a private server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "svcsync-queue-"));
  return {
    fresh: async () => ({ kind: "own", dataDir: await mkdtemp(join(folder, "data-")) }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
});

describeQueue("no server, in this process", async () => ({
  fresh: async () => ({ kind: "in-process", jobs: new InProcessJobs() }),
  [Symbol.asyncDispose]: async () => undefined,
}));
