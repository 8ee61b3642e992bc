import { Redis } from "ioredis";
import { Client } from "pg";
import { expect, it, vi } from "vitest";
import { systemClock } from "#model";
import { openQueue, type QueueLocation } from "#queue";
import { memoryLogger } from "../kit/logger.ts";
import { startPostgres } from "../setup/postgres.ts";
import { startRedis } from "../setup/redis.ts";

const patience = { timeout: 120_000, interval: 20 };
const jobs = 1_000;
/** What a server keeps of jobs that have ended, in rows or entries: BullMQ removes its notices in lots. */
const keptMax = 600;

/** Delivers so many records, a job for each. */
async function deliverMany(location: QueueLocation): Promise<void> {
  await using queue = await openQueue(location, { clock: systemClock, logger: memoryLogger() });
  let delivered = 0;
  const handlers = { deliver: async () => void delivered++, poll: async () => undefined };
  await queue.start(handlers, { concurrency: 8 });
  const ids = Array.from({ length: jobs }, (_, key) => ({ stream: "customers", key: String(key) }));
  await queue.wake(ids, { backfill: false, apart: true });
  await vi.waitFor(() => expect(delivered).toBe(jobs), patience);
}

it("keeps next to nothing on PostgreSQL of the jobs that have ended", async () => {
  await using postgres = await startPostgres();
  await deliverMany({ kind: "postgres", url: postgres.url, prefix: "growing" });
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'growing'",
    );
    let kept = 0;
    for (const { name } of rows) kept += (await client.query(`SELECT FROM growing.${name}`)).rowCount ?? 0;
    expect(kept).toBeLessThan(keptMax);
  } finally {
    await client.end();
  }
});

it("keeps next to nothing on Redis of the jobs that have ended", async () => {
  await using redis = await startRedis();
  await deliverMany({ kind: "redis", url: redis.url, prefix: "growing" });
  const client = new Redis(redis.url);
  try {
    const notices = await client.xlen("growing:deliveries:events");
    expect((await client.dbsize()) + notices).toBeLessThan(keptMax);
  } finally {
    client.disconnect();
  }
});
