import { setTimeout as pause } from "node:timers/promises";
import { Queue as BullQueue } from "bullmq";
import { Redis } from "ioredis";
import { describe, expect, it, vi } from "vitest";
import { RetryError, StopError } from "#model";
import { startPgBouncer } from "../setup/pgbouncer.ts";
import { startPostgres } from "../setup/postgres.ts";
import { startRedis } from "../setup/redis.ts";
import { memoryLogger } from "../kit/logger.ts";
import { startQueueProcess } from "./queue-process.ts";
import { live, patience, record, startEndingWay, startForgetfulWay, testQueues } from "./working.ts";

const { open, work, polling } = testQueues();

const servers = [
  { kind: "redis" as const, name: "Redis", start: () => startRedis() },
  { kind: "postgres" as const, name: "PostgreSQL", start: () => startPostgres() },
];

describe.each(servers)("a queue whose server goes away: $name", ({ kind, start }) => {
  it("rejects calls in bounded time, logs once, and goes on by itself when the server is back", async () => {
    await using server = await start();
    const working = await work({ kind, url: server.url });
    const { queue, logger, delivered } = working;
    await queue.wake([record("1")], live);
    await vi.waitFor(() => expect(delivered).toEqual(["1"]), patience);

    await server.stop();
    for (const call of [() => queue.wake([record("2")], live), () => queue.ping(), () => queue.depth()]) {
      await expect(call()).rejects.toThrow(expect.objectContaining({ code: "E_QUEUE_UNREACHABLE", family: "retry" }));
    }
    await pause(1_500);
    expect(logger.count("lost the queue")).toBe(1);

    await server.start();
    await vi.waitFor(() => expect(logger.count("reached the queue again")).toBe(1), patience);
    const before = working.polls;
    await queue.wake([record("3")], live);
    await vi.waitFor(() => expect(delivered).toContain("3"), patience);
    await vi.waitFor(() => expect(working.polls).toBeGreaterThan(before + 2), patience);
    expect(logger.count("lost the queue")).toBe(1);
    const forgot = kind === "redis" ? 1 : 0;
    await vi.waitFor(
      () => expect(logger.count("scheduled polls again that the queue had lost")).toBe(forgot),
      patience,
    );
  });

  it("opens while the server is away, and works once it is there", async () => {
    await using server = await start();
    await server.stop();
    const logger = memoryLogger();
    const queue = await open({ kind, url: server.url }, logger);
    const delivered: string[] = [];
    const deliver = async ({ key }: { key: string }) => void delivered.push(key);
    let polls = 0;
    await queue.start({ deliver, poll: async () => void polls++ }, { concurrency: 1 });
    await queue.schedulePolls(new Map([["customers", { everyMs: 60_000 }]]));
    await expect(queue.ping()).rejects.toThrow(RetryError);
    await server.start();
    await vi.waitFor(() => expect(polls).toBe(1), patience);
    await queue.wake([record("1")], live);
    await vi.waitFor(() => expect(delivered).toEqual(["1"]), patience);
  });

  it("can be stopped and closed during the outage, in bounded time", async () => {
    await using server = await start();
    const { queue } = await work({ kind, url: server.url });
    await server.stop();
    await expect(queue.stop(500)).resolves.toBeUndefined();
    await expect(queue[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  it("delivers again after all of its connections were lost without a word", async () => {
    await using server = await start();
    await using way = await startForgetfulWay(server.port);
    const queue = await open({ kind, url: server.url.replace(`:${server.port}/`, `:${way.port}/`) });
    const delivered: string[] = [];
    const deliver = async ({ key }: { key: string }) => void delivered.push(key);
    await queue.start({ deliver, poll: async () => undefined }, { concurrency: 1, polls: false });
    // While a worker asks for a job.
    await way.forgetAt(kind === "redis" ? "bzpopmin" : "move_to_active");
    await vi.waitFor(() => queue.wake([record("1")], live), patience);
    await vi.waitFor(() => expect(delivered).toContain("1"), patience);
  });

  it("lets its process end when a job could not be given back", async () => {
    await using server = await start();
    const polls = { customers: 200 };
    await using process = startQueueProcess({ location: { kind, url: server.url }, polls, holdMs: 500 });
    await vi.waitFor(() => expect(process.lines.join()).toContain("poll customers"), patience);
    await server.stop();
    await vi.waitFor(() => expect(process.lines.join()).toContain("polled customers"), patience);
    await process.stop();
    expect(process.lines).toContain("closed");
  });
});

it("opens on PostgreSQL in many processes at once, and refuses none of them", async () => {
  await using server = await startPostgres();
  for (let round = 0; round < 5; round++) {
    const logger = memoryLogger();
    const location = { kind: "postgres", url: server.url, prefix: `round_${round}` } as const;
    await Promise.all(Array.from({ length: 8 }, async () => (await open(location, logger)).ping()));
    expect(logger.count("queue refused a write")).toBe(0);
  }
});

it("opens on PostgreSQL although the connection that looks at the server was lost without a word", async () => {
  await using server = await startPostgres();
  await using way = await startForgetfulWay(server.port);
  const isForgotten = way.forgetAt("SHOW server_version_num");
  const queue = await open({ kind: "postgres", url: server.url.replace(`:${server.port}/`, `:${way.port}/`) });
  await isForgotten;
  await vi.waitFor(() => expect(queue.ping()).resolves.toBeUndefined(), patience);
});

it("opens on PostgreSQL although the server ends its connection between two queries, and the process goes on", async () => {
  await using server = await startPostgres();
  await using way = await startEndingWay(server.port, "server_version_num");
  const queue = await open({ kind: "postgres", url: server.url.replace(`:${server.port}/`, `:${way.port}/`) });
  await vi.waitFor(() => expect(queue.ping()).resolves.toBeUndefined(), patience);
  expect(way.hasEnded()).toBe(true);
});

describe("a queue behind PgBouncer", () => {
  it("tells why its workers cannot start", async () => {
    await using server = await startPostgres();
    await using pooler = await startPgBouncer(server.url, "session");
    const queue = await open({ kind: "postgres", url: pooler.url });
    void queue.start({ deliver: async () => undefined, poll: async () => undefined }, { concurrency: 1 });
    const reason = /unsupported startup parameter/;
    await vi.waitFor(() => expect(queue.trouble()).toMatch(reason), patience);
    await queue.ping();
  });
});

describe("a queue on Redis", () => {
  it("goes on after FLUSHALL: polls by themselves, records when they are woken again", async () => {
    await using redis = await startRedis();
    const { working, client } = await polling(redis.url);
    await client.flushall();
    await client.quit();
    await working.queue.wake([record("1")], live);
    await vi.waitFor(() => expect(working.delivered).toEqual(["1"]), patience);
    await vi.waitFor(() => expect(working.forgotten).toBe(1), patience);
    const before = working.polls;
    await vi.waitFor(() => expect(working.polls).toBeGreaterThan(before + 3), patience);
    const message = "scheduled polls again that the queue had lost";
    await vi.waitFor(() => expect(working.logger.count(message)).toBe(1), patience);
  });

  it("ticks once for all streams of an interval, and no longer for what an earlier version scheduled", async () => {
    await using redis = await startRedis();
    const client = new Redis(redis.url, { maxRetriesPerRequest: null });
    const earlier = new BullQueue("polls", { connection: client, prefix: "svcsync" });
    const everyMs = 3_600_000;
    await earlier.upsertJobScheduler("customers", { every: everyMs }, { name: "tick", data: "customers" });
    const queue = await open({ kind: "redis", url: redis.url });
    const polled: string[] = [];
    const poll = async (stream: string) => void polled.push(stream);
    await queue.start({ deliver: async () => undefined, poll }, { concurrency: 1 });
    await queue.schedulePolls(
      new Map([
        ["customers", { everyMs }],
        ["contacts", { everyMs }],
        ["tickets", { everyMs: everyMs / 2 }],
      ]),
    );
    await vi.waitFor(() => expect(polled.toSorted()).toEqual(["contacts", "customers", "tickets"]), patience);
    const schedulers = await earlier.getJobSchedulers();
    expect(schedulers.map(({ every }) => Number(every)).toSorted((a, b) => a - b)).toEqual([everyMs / 2, everyMs]);
    await earlier.close();
    client.disconnect();
  });

  it("never polls a stream twice at once, although the queue forgot that it is being polled", async () => {
    await using redis = await startRedis();
    const queue = await open({ kind: "redis", url: redis.url });
    let running = 0;
    let most = 0;
    let count = 0;
    const poll = async () => {
      most = Math.max(most, ++running);
      await pause(1_500);
      running--;
      count++;
    };
    await queue.start({ deliver: async () => undefined, poll }, { concurrency: 1 });
    await queue.pollNow("customers");
    await vi.waitFor(() => expect(running).toBe(1), patience);
    const client = new Redis(redis.url);
    await client.flushall();
    await client.quit();
    await queue.pollNow("customers");
    await vi.waitFor(() => expect(count).toBe(1), patience);
    expect(most).toBe(1);
  });

  it("is not usable while its memory is full, says so once, and polls again by itself when there is room", async () => {
    await using redis = await startRedis();
    const { working, client } = await polling(redis.url);
    await client.config("SET", "maxmemory", "1");
    const refusal = expect.objectContaining({ code: "E_QUEUE_REFUSED", family: "retry" });
    await expect(working.queue.ping()).rejects.toThrow(refusal);
    await expect(working.queue.wake([record("1")], live)).rejects.toThrow(refusal);
    expect(working.logger.count("queue refused a write")).toBe(1);
    await client.config("SET", "maxmemory", "0");
    await vi.waitFor(() => expect(working.logger.count("reached the queue again")).toBe(1), patience);
    await working.queue.wake([record("1")], live);
    await vi.waitFor(() => expect(working.delivered).toContain("1"), patience);
    const before = working.polls;
    await vi.waitFor(() => expect(working.polls).toBeGreaterThan(before + 2), patience);
    expect(working.logger.count("queue refused a write")).toBe(1);
    client.disconnect();
  });

  it("stops for a password that is wrong, without showing it", async () => {
    await using redis = await startRedis({ password: "correct-horse" });
    const url = redis.url.replace("correct-horse", "wrong-battery");
    const failure = await open({ kind: "redis", url }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StopError);
    expect(failure).toMatchObject({ code: "E_QUEUE_DENIED" });
    expect(String(failure)).not.toContain("battery");
    await expect((await open({ kind: "redis", url: redis.url })).ping()).resolves.toBeUndefined();
  });

  it("lets another process deliver and poll what a killed one held", async () => {
    await using redis = await startRedis();
    const location = { kind: "redis" as const, url: redis.url };
    const queue = await open(location);
    await using holder = startQueueProcess({ location, polls: { customers: 500 }, holdMs: 60_000 });
    await queue.wake([record("1")], live);
    await vi.waitFor(() => expect(holder.lines.join()).toMatch(/(?=.*deliver 1)(?=.*poll customers)/), patience);
    await holder.kill();
    const delivered: string[] = [];
    let polls = 0;
    const deliver = async ({ key }: { key: string }) => void delivered.push(key);
    await queue.start({ deliver, poll: async () => void polls++ }, { concurrency: 1 });
    await queue.schedulePolls(new Map([["customers", { everyMs: 500 }]]));
    await vi.waitFor(() => expect(polls).toBeGreaterThan(1), patience);
    await vi.waitFor(() => expect(delivered).toEqual(["1"]), patience);
  });
});

describe("two processes on one queue", () => {
  it("never poll one stream at the same time, and share the polls of many", async () => {
    await using redis = await startRedis();
    const polls = Object.fromEntries(["a", "b", "c"].map((stream) => [stream, 300]));
    const orders = { location: { kind: "redis" as const, url: redis.url }, polls, holdMs: 200 };
    await using one = startQueueProcess(orders);
    await using two = startQueueProcess(orders);
    const ended = () => [...one.lines, ...two.lines].filter((line) => line.startsWith("polled ")).length;
    await vi.waitFor(() => expect(ended()).toBeGreaterThan(20), patience);
    for (const stream of Object.keys(polls)) expect(overlaps([...one.lines, ...two.lines], stream)).toBe(0);
  });
});

/** How many polls of the stream began before the one that began before them had ended. */
function overlaps(lines: readonly string[], stream: string): number {
  const instants = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} ${stream} `)).map((line) => Number(line.split(" ")[2]));
  const begun = instants("poll").toSorted((a, b) => a - b);
  const ended = instants("polled").toSorted((a, b) => a - b);
  return begun.filter((at, index) => index > 0 && at < (ended[index - 1] ?? Infinity)).length;
}
