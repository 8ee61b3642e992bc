import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Queue as BullQueue } from "bullmq";
import { Redis } from "ioredis";
import { afterEach, describe, expect, it, vi } from "vitest";
import { RetryError, StopError, systemClock } from "#model";
import { openQueue, type Queue, type QueueLocation } from "#queue";
import { freePort } from "../setup/free-port.ts";
import { listen } from "../setup/listen.ts";
import { startPgBouncer } from "../setup/pgbouncer.ts";
import { startPostgres } from "../setup/postgres.ts";
import { startRedis } from "../setup/redis.ts";
import { startQueueProcess } from "./queue-process.ts";
import { type MemoryLogger, memoryLogger } from "../kit/logger.ts";

/** A call without a bound of its own would never end here, and the test would with it. */
const patience = { timeout: 120_000, interval: 20 };
const live = { backfill: false };
const record = (key: string) => ({ stream: "customers", key });

interface Working {
  readonly queue: Queue;
  readonly logger: MemoryLogger;
  readonly delivered: string[];
  polls: number;
  /** How often the queue told that its backend had forgotten its jobs. */
  forgotten: number;
}

const opened: Queue[] = [];
afterEach(async () => {
  for (const queue of opened.splice(0)) await queue[Symbol.asyncDispose]();
});

async function open(location: QueueLocation, logger = memoryLogger()): Promise<Queue> {
  const queue = await openQueue(location, { clock: systemClock, logger });
  opened.push(queue);
  return queue;
}

async function work(location: QueueLocation): Promise<Working> {
  const logger = memoryLogger();
  const queue = await open(location, logger);
  const working: Working = { queue, logger, delivered: [], polls: 0, forgotten: 0 };
  queue.onForgotten?.(() => working.forgotten++);
  const deliver = async ({ key }: { key: string }) => void working.delivered.push(key);
  await queue.start({ deliver, poll: async () => void working.polls++ }, { concurrency: 4 });
  await queue.schedulePolls(new Map([["customers", { everyMs: 200 }]]));
  return working;
}

/** A queue that polls, and a client of its server beside it. */
async function polling(url: string): Promise<{ working: Working; client: Redis }> {
  const working = await work({ kind: "redis", url });
  await vi.waitFor(() => expect(working.polls).toBeGreaterThan(1), patience);
  return { working, client: new Redis(url) };
}

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
  it("tells what keeps jobs from being handed out while the server answers, until it is granted", async () => {
    await using redis = await startRedis();
    const { working, client } = await polling(redis.url);
    await client.call("ACL", "SETUSER", "default", "-bzpopmin");
    const denied = /permissions to run the 'bzpopmin' command/;
    await vi.waitFor(() => expect(working.queue.trouble()).toMatch(denied), patience);
    await working.queue.ping();
    await client.call("ACL", "SETUSER", "default", "+bzpopmin");
    await vi.waitFor(() => expect(working.queue.trouble()).toBeUndefined(), patience);
    client.disconnect();
  });

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

  it("tells that it was flushed, also when the server is too slow to answer while polls are scheduled again", async () => {
    await using redis = await startRedis();
    const { working, client } = await polling(redis.url);
    await client.multi().flushall().client("PAUSE", 8_000, "WRITE").exec();
    // Who has to connect again looks at once whether its polls are still there.
    await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    client.disconnect();
    await vi.waitFor(() => expect(working.forgotten).toBe(1), patience);
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

  it("rejects calls in bounded time when the server hangs, and goes on when it answers again", async () => {
    await using redis = await startRedis();
    const queue = await open({ kind: "redis", url: redis.url });
    const client = new Redis(redis.url);
    await client.call("CLIENT", "PAUSE", "7000", "ALL");
    await expect(queue.wake([record("1")], live)).rejects.toThrow(RetryError);
    await vi.waitFor(() => queue.wake([record("2")], live), patience);
    client.disconnect();
  });

  it("warns once of an eviction policy that may drop jobs", async () => {
    await using redis = await startRedis({ args: ["--maxmemory-policy", "allkeys-lru"] });
    const logger = memoryLogger();
    const printed = vi.spyOn(console, "warn");
    const queue = await open({ kind: "redis", url: redis.url }, logger);
    await queue.start({ deliver: async () => undefined, poll: async () => undefined }, { concurrency: 1 });
    await queue.ping();
    expect(logger.count("found an eviction policy that drops jobs")).toBe(1);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
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

  it("lets a server whose memory is full rest: a pause between two refusals, however long it lasts", async () => {
    await using redis = await startRedis();
    const { client } = await polling(redis.url);
    await client.config("SET", "maxmemory", "1");
    await pause(1_000);
    await client.config("RESETSTAT");
    await pause(3_000);
    const commands = Number(/total_commands_processed:(\d+)/.exec(await client.info())?.[1]);
    // Two workers and the look whether there is room again, each twice a second; it was 15,000 a second without the pause.
    expect(commands).toBeLessThan(300);
    client.disconnect();
  });

  it("opens while its server's memory is full, and polls as soon as there is room", async () => {
    await using redis = await startRedis();
    const client = new Redis(redis.url);
    await client.config("SET", "maxmemory", "1");
    const working = await work({ kind: "redis", url: redis.url });
    expect(working.logger.count("queue refused a write")).toBe(1);
    await client.config("SET", "maxmemory", "0");
    await vi.waitFor(() => expect(working.polls).toBeGreaterThan(1), patience);
    client.disconnect();
  });

  it("starts although its server takes no more connections, says so, and works once it takes them", async () => {
    await using redis = await startRedis();
    const client = new Redis(redis.url);
    await client.config("SET", "maxclients", "2");
    const working = await work({ kind: "redis", url: redis.url });
    expect(working.logger.count("workers got no connection to the queue yet")).toBe(1);
    await client.config("SET", "maxclients", "100");
    await vi.waitFor(() => expect(working.polls).toBeGreaterThan(1), patience);
    client.disconnect();
  });

  it("can be stopped while its server takes no more connections, and ends what waits for its workers", async () => {
    await using redis = await startRedis();
    const client = new Redis(redis.url);
    await client.config("SET", "maxclients", "2");
    const { queue } = await work({ kind: "redis", url: redis.url });
    const paused = queue.setDelivering(false);
    await queue.stop(500);
    await expect(paused).resolves.toBeUndefined();
    client.disconnect();
  });

  it("can be closed although its server was lost without a word while BullMQ was opened, and stays away", async () => {
    await using redis = await startRedis();
    const way = await startForgetfulWay(redis.port);
    const queue = await open({ kind: "redis", url: redis.url.replace(`:${redis.port}/`, `:${way.port}/`) });
    const isForgotten = way.forgetAt("info");
    await expect(queue.wake([record("1")], live)).rejects.toThrow(RetryError);
    await isForgotten;
    await way[Symbol.asyncDispose]();
    await expect(queue[Symbol.asyncDispose]()).resolves.toBeUndefined();
  });

  it("is not usable while its server only reads, says so, and works again once that takes writes", async () => {
    await using redis = await startRedis();
    const { working, client } = await polling(redis.url);
    await client.call("REPLICAOF", "127.0.0.1", String(await freePort()));
    const refusal = expect.objectContaining({
      code: "E_QUEUE_REFUSED",
      message: expect.stringContaining("READONLY"),
    });
    await expect(working.queue.ping()).rejects.toThrow(refusal);
    await expect(working.queue.wake([record("1")], live)).rejects.toThrow(refusal);
    await client.call("REPLICAOF", "NO", "ONE");
    await vi.waitFor(() => working.queue.wake([record("1")], live), patience);
    await vi.waitFor(() => expect(working.delivered).toContain("1"), patience);
    const before = working.polls;
    await vi.waitFor(() => expect(working.polls).toBeGreaterThan(before + 2), patience);
    client.disconnect();
  });

  it("is not usable on a node of a Redis Cluster, also where the node holds all slots", async () => {
    await using redis = await startRedis({ args: ["--cluster-enabled", "yes"] });
    const client = new Redis(redis.url);
    await client.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    await vi.waitFor(async () => expect(await client.call("CLUSTER", "INFO")).toContain("cluster_state:ok"), patience);
    const queue = await open({ kind: "redis", url: redis.url });
    await expect(queue.ping()).rejects.toMatchObject({
      code: "E_QUEUE_REFUSED",
      message: expect.stringContaining("CROSSSLOT"),
    });
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

  it("says once that its password was changed, and works again once that is taken back", async () => {
    await using redis = await startRedis({ password: "correct-horse" });
    const { working, client } = await polling(redis.url);
    await client.config("SET", "requirepass", "changed");
    await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await vi.waitFor(() => expect(working.logger.count("lost access to the queue")).toBe(1), patience);
    await expect(working.queue.ping()).rejects.toThrow(expect.objectContaining({ code: "E_QUEUE_DENIED" }));
    await client.config("SET", "requirepass", "correct-horse");
    await vi.waitFor(() => expect(working.logger.count("reached the queue again")).toBe(1), patience);
    const before = working.polls;
    await vi.waitFor(() => expect(working.polls).toBeGreaterThan(before + 2), patience);
    expect(working.logger.count("lost access to the queue")).toBe(1);
    client.disconnect();
  });

  it("says that its password is wrong where its server was away when it was opened", async () => {
    await using redis = await startRedis({ password: "correct-horse" });
    await redis.stop();
    const working = await work({ kind: "redis", url: redis.url.replace("correct-horse", "wrong-battery") });
    await redis.start();
    await vi.waitFor(() => expect(working.logger.count("lost access to the queue")).toBe(1), patience);
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

/**
 * A way to a server that can forget its connections, as a firewall does: nothing passes on them any more, and neither side hears of it. New
 * ones are not affected.
 */
async function startForgetfulWay(port: number) {
  const connections = new Set<{ isForgotten: boolean }>();
  const sockets = new DisposableStack();
  let awaited: { readonly word: string; readonly said: () => void } | undefined;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const connection = { isForgotten: false };
    connections.add(connection);
    const target = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const pass = (from: Socket, to: Socket) => {
      sockets.defer(() => from.destroy());
      from.on("error", () => undefined);
      from.on("data", (data) => {
        if (awaited && data.includes(awaited.word)) {
          for (const each of connections) each.isForgotten = true;
          awaited.said();
          awaited = undefined;
        }
        if (!connection.isForgotten) to.write(data);
      });
      from.on("end", () => void (connection.isForgotten || to.end()));
    };
    pass(client, target);
    pass(target, client);
  });
  return {
    port: await listen(server),
    /** Forgets all connections when the next one says this word, before that arrives. Resolves then. */
    forgetAt: (word: string) => new Promise<void>((said) => (awaited = { word, said })),
    async [Symbol.asyncDispose]() {
      server.close();
      sockets.dispose();
    },
  };
}

/** How many polls of the stream began before the one that began before them had ended. */
function overlaps(lines: readonly string[], stream: string): number {
  const instants = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} ${stream} `)).map((line) => Number(line.split(" ")[2]));
  const begun = instants("poll").toSorted((a, b) => a - b);
  const ended = instants("polled").toSorted((a, b) => a - b);
  return begun.filter((at, index) => index > 0 && at < (ended[index - 1] ?? Infinity)).length;
}
