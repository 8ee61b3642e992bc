import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { describe, expect, it, vi } from "vitest";
import { RetryError } from "#model";
import { freePort } from "../setup/free-port.ts";
import { startRedis } from "../setup/redis.ts";
import { memoryLogger } from "../kit/logger.ts";
import { live, patience, record, startForgetfulWay, testQueues } from "./working.ts";

const { open, work, polling } = testQueues();

describe("a queue on Redis in rare trouble", () => {
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

  it("tells that it was flushed, also when the server is too slow to answer while polls are scheduled again", async () => {
    await using redis = await startRedis();
    const { working, client } = await polling(redis.url);
    await client.multi().flushall().client("PAUSE", 8_000, "WRITE").exec();
    // Who has to connect again looks at once whether its polls are still there.
    await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    client.disconnect();
    await vi.waitFor(() => expect(working.forgotten).toBe(1), patience);
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

  it("lets a server whose memory is full rest: a pause between two refusals, however long it lasts", async () => {
    await using redis = await startRedis();
    const { client } = await polling(redis.url);
    await client.config("SET", "maxmemory", "1");
    await pause(1_000);
    await client.config("RESETSTAT");
    const begunAt = performance.now();
    await pause(3_000);
    const commands = Number(/total_commands_processed:(\d+)/.exec(await client.info())?.[1]);
    const seconds = (performance.now() - begunAt) / 1_000;
    // Two workers and the look whether there is room again, each twice a second; it was 15,000 a second without the pause.
    expect(commands / seconds).toBeLessThan(100);
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
});
