import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "#model";
import { openQueue, type Queue } from "#queue";
import { freePort } from "../setup/free-port.ts";
import { RedisConnections } from "../../src/queue/bull/redis-client.ts";
import { parseQueueAddress } from "../../src/queue/queue-address.ts";
import { startSentinels } from "../setup/redis-sentinel.ts";
import { memoryLogger } from "../kit/logger.ts";

const patience = { timeout: 120_000, interval: 20 };
const live = { backfill: false };
const record = (key: string) => ({ stream: "customers", key });

const opened: Queue[] = [];
afterEach(async () => {
  for (const queue of opened.splice(0)) await queue[Symbol.asyncDispose]();
});

async function open(url: string, logger = memoryLogger()): Promise<Queue> {
  const queue = await openQueue({ kind: "redis", url }, { clock: systemClock, logger });
  opened.push(queue);
  return queue;
}

/** A queue that delivers and polls, and what it did. */
async function work(url: string) {
  const logger = memoryLogger();
  const queue = await open(url, logger);
  const working = { queue, logger, delivered: new Set<string>(), polls: 0, forgotten: 0 };
  queue.onForgotten(() => working.forgotten++);
  const deliver = async ({ key }: { key: string }) => void working.delivered.add(key);
  await queue.start({ deliver, poll: async () => void working.polls++ }, { concurrency: 4 });
  await queue.schedulePolls(new Map([["customers", { everyMs: 200 }]]));
  await delivers(working, "before");
  return working;
}

type Working = Awaited<ReturnType<typeof work>>;

/** Resolves when a record that is woken now is delivered. */
async function delivers({ queue, delivered }: Pick<Working, "queue" | "delivered">, key: string): Promise<void> {
  await vi.waitFor(() => queue.wake([record(key)], live), patience);
  await vi.waitFor(() => expect(delivered).toContain(key), patience);
}

/** Resolves when the stream is polled as before. */
async function polls(working: Working): Promise<void> {
  const before = working.polls;
  await vi.waitFor(() => expect(working.polls).toBeGreaterThan(before + 2), patience);
}

describe("a queue on Redis behind Sentinel", () => {
  it.each(["SIGKILL", "SIGSTOP"] as const)(
    "continues on the replica that is promoted after %s, and tells that jobs may be lost",
    async (signal) => {
      await using sentinels = await startSentinels({ password: "server-pw", sentinelPassword: "sentinel-pw" });
      const working = await work(sentinels.url);
      const primary = await sentinels.primary();
      process.kill(primary, signal);
      try {
        await sentinels.replaced(primary);
        await delivers(working, "after");
        await polls(working);
        await vi.waitFor(() => expect(working.forgotten).toBeGreaterThan(0), patience);
        expect(working.logger.count("queue moved to another server")).toBe(working.forgotten);
      } finally {
        if (signal === "SIGSTOP") process.kill(primary, "SIGCONT");
      }
    },
  );

  it("continues after an outage of Sentinel and server that lasts longer than a worker waits for a job", async () => {
    await using sentinels = await startSentinels();
    const working = await work(sentinels.url);
    for (const pid of sentinels.pids) process.kill(pid, "SIGSTOP");
    await sentinels.servers[0]!.stop();
    // Five seconds, and up to ten more until BullMQ takes its connection for hung.
    await pause(20_000);
    await sentinels.servers[0]!.start();
    for (const pid of sentinels.pids) process.kill(pid, "SIGCONT");
    await delivers(working, "after");
    await polls(working);
    expect(working.logger.count("lost the queue")).toBe(1);
  });

  it("connects again when it was told of another primary while it looked for it", async () => {
    await using sentinels = await startSentinels();
    const connections = new RedisConnections(parseQueueAddress(sentinels.url));
    const client = connections.commands;
    try {
      await vi.waitFor(() => expect(client.status).toBe("ready"), patience);
      for (const pid of sentinels.pids) process.kill(pid, "SIGSTOP");
      client.disconnect(true);
      await vi.waitFor(() => expect(client.status).toBe("connecting"), patience);
      const ended = new Promise((resolve) => void client.once("end", resolve));
      // As ioredis does on a notice of Sentinel.
      const connector: { disconnect: () => void } = Reflect.get(client, "connector");
      connector.disconnect();
      for (const pid of sentinels.pids) process.kill(pid, "SIGCONT");
      await ended;
      await vi.waitFor(() => expect(client.status).toBe("ready"), patience);
    } finally {
      connections.disconnect();
    }
    await vi.waitFor(() => expect(client.status).toBe("end"), patience);
  });

  it("asks the next Sentinel when one is away and one hangs", async () => {
    await using sentinels = await startSentinels();
    const [, hung] = sentinels.pids;
    process.kill(hung!, "SIGSTOP");
    const url = sentinels.url.replace(/\/\/[^,]*/, `//127.0.0.1:${await freePort()}`);
    const queue = await open(url);
    await vi.waitFor(() => expect(queue.ping()).resolves.toBeUndefined(), patience);
    process.kill(hung!, "SIGCONT");
  });

  it("says that no Sentinel answers, and which were asked", async () => {
    const hosts = `127.0.0.1:${await freePort()},127.0.0.1:${await freePort()}`;
    const queue = await open(`redis+sentinel://:secret@${hosts}/mymaster`);
    const message = expect.stringMatching(
      `^the queue at redis\\+sentinel://${hosts}/mymaster does not answer: .*sentinel`,
    );
    await vi.waitFor(
      () => expect(queue.ping()).rejects.toMatchObject({ code: "E_QUEUE_UNREACHABLE", family: "retry", message }),
      patience,
    );
  });
});

describe("an address of Sentinels with a mistake", () => {
  it("stops with one clear error, without a password in it", async () => {
    await using sentinels = await startSentinels({ password: "server-pw", sentinelPassword: "sentinel-pw" });
    const { url } = sentinels;
    const mistakes = [
      [url.replace("/mymaster/", "/other/"), "E_QUEUE_SENTINEL", /no Sentinel of the queue at .* knows .* "other"/],
      [url.replace(/\?.*/, ""), "E_QUEUE_DENIED", /sentinel .* NOAUTH/],
      [url.replace("=sentinel-pw", "=wrong-pw"), "E_QUEUE_DENIED", /sentinel .* WRONGPASS/],
      [url.replace(":server-pw@", ":wrong-pw@"), "E_QUEUE_DENIED", /denies access: WRONGPASS/],
      [url.replace(":server-pw@", ""), "E_QUEUE_DENIED", /denies access: NOAUTH/],
    ] as const;
    for (const [mistaken, code, words] of mistakes) {
      const failure: unknown = await open(mistaken).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code, family: "stop", message: expect.stringMatching(words) });
      expect(String(failure)).not.toMatch(/(server|sentinel|wrong)-pw/);
    }
    await expect((await open(url)).ping()).resolves.toBeUndefined();
  });
});
