import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "#model";
import { openQueue, spawnGuarded, type Queue } from "#queue";
import { startQueueProcess } from "./queue-process.ts";
import { type MemoryLogger, memoryLogger } from "../kit/logger.ts";

const patience = { timeout: 120_000, interval: 20 };
const live = { backfill: false };
const started = "started a private redis server";
const id = { stream: "customers", key: "1" };

describe("a private server", () => {
  let dataDir: string;
  let logger: MemoryLogger;
  const opened: Queue[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "svcsync-private-"));
    logger = memoryLogger();
  });
  afterEach(async () => {
    for (const queue of opened.splice(0)) await queue[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function open(folder = dataDir): Promise<Queue> {
    const queue = await openQueue({ kind: "own", dataDir: folder }, { clock: systemClock, logger });
    opened.push(queue);
    return queue;
  }

  it("listens only on a socket in the data folder that no other user may use, and keeps nothing on disk", async () => {
    const queue = await open();
    await queue.wake([id], live);
    expect((await readdir(dataDir)).toSorted()).toEqual(["queue.sock", "queue.sock.pid"]);
    const { stdout } = await run("stat", ["-c", "%a", join(dataDir, "queue.sock")]);
    expect(stdout.trim()).toBe("700");
  });

  it("is reached in a data folder whose name would mean something in an address", async () => {
    const folder = join(dataDir, "orders #1? 100%");
    await mkdir(folder);
    await expect((await open(folder)).ping()).resolves.toBeUndefined();
    expect(await readdir(folder)).toContain("queue.sock");
  });

  it("is gone when the queue is closed", async () => {
    const queue = await open();
    const [pid] = await servers(dataDir);
    expect(pid).toBeDefined();
    opened.length = 0;
    await queue[Symbol.asyncDispose]();
    expect(await servers(dataDir)).toEqual([]);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it("is gone with its parent, also when that is killed with -9", async () => {
    await using parent = startQueueProcess({ location: { kind: "own", dataDir }, polls: {}, holdMs: 0 });
    await vi.waitFor(() => expect(parent.lines).toContain("ready"), patience);
    expect(await servers(dataDir)).toHaveLength(1);
    await parent.kill();
    await vi.waitFor(async () => expect(await servers(dataDir)).toEqual([]), patience);
  });

  it("ends one that was left behind and never leaves it running beside the new one", async () => {
    const socket = join(dataDir, "queue.sock");
    const leftover = spawnGuarded("redis-server", ["--port", "0", "--unixsocket", socket, "--save", ""]);
    await new Promise<void>((resolve) => leftover.onLine((line) => line.includes("eady to accept") && resolve()));
    const [old] = await servers(dataDir);
    const queue = await open();
    await queue.wake([id], live);
    const now = await servers(dataDir);
    expect(now).toHaveLength(1);
    expect(now).not.toContain(old);
    expect(logger.count("ended a private redis server that was left behind")).toBe(1);
    await leftover.ended;
  });

  it("ends one that was left behind and answers nothing", async () => {
    const socket = join(dataDir, "queue.sock");
    const args = ["--port", "0", "--unixsocket", socket, "--save", "", "--pidfile", `${socket}.pid`];
    const leftover = spawnGuarded("redis-server", args);
    await new Promise<void>((resolve) => leftover.onLine((line) => line.includes("eady to accept") && resolve()));
    const [old] = await servers(dataDir);
    process.kill(old!, "SIGSTOP");
    const queue = await open();
    await queue.ping();
    expect(await servers(dataDir)).not.toContain(old);
    await leftover.ended;
  });

  it("is shared while its owner lives, and replaced when the owner ends", async () => {
    const owner = await open();
    const guest = await open();
    expect(await servers(dataDir)).toHaveLength(1);
    await owner.wake([id], live);
    expect(await guest.depth()).toEqual({ waiting: 1, active: 0 });
    opened.splice(opened.indexOf(owner), 1);
    await owner[Symbol.asyncDispose]();
    await vi.waitFor(async () => expect(await guest.depth()).toEqual({ waiting: 0, active: 0 }), patience);
    expect(await servers(dataDir)).toHaveLength(1);
  });

  it("leaves a queue alone that no other process uses: its workers wait for long and hold their jobs for long", async () => {
    const queue = await open();
    const client = new Redis(join(dataDir, "queue.sock"));
    const monitor = await client.monitor();
    const asked: string[] = [];
    monitor.on("monitor", (_at: string, [command = "", key = "", ...rest]: string[]) => {
      if (/^bzpopmin$/i.test(command)) asked.push(`wait ${rest.join(" ")}`);
      if (/^set$/i.test(command) && key.endsWith(":lock")) asked.push(`hold ${rest.slice(1).join(" ")}`);
    });
    await queue.start({ deliver: async () => undefined, poll: async () => undefined }, { concurrency: 1 });
    await queue.wake([id], live);
    await vi.waitFor(() => expect(new Set(asked)).toEqual(new Set(["wait 15", "hold PX 30000"])), patience);
    monitor.disconnect();
    client.disconnect();
  });

  it("is started again when it dies, and the queue goes on: polls by themselves, records when they are woken again", async () => {
    const queue = await open();
    const delivered: string[] = [];
    let polls = 0;
    const handlers = {
      deliver: async ({ key }: typeof id) => void delivered.push(key),
      poll: async () => void polls++,
    };
    await queue.start(handlers, { concurrency: 2 });
    await queue.schedulePolls(new Map([["customers", { everyMs: 200 }]]));
    await queue.wake([id], live);
    await vi.waitFor(() => expect(delivered).toEqual(["1"]), patience);
    let forgotten = 0;
    queue.onForgotten?.(() => forgotten++);
    for (const pid of await servers(dataDir)) process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(logger.count(started)).toBe(2), patience);
    const before = polls;
    await vi.waitFor(() => queue.wake([{ ...id, key: "2" }], live), patience);
    // A wake-up that was given again may come twice.
    await vi.waitFor(() => expect(new Set(delivered)).toEqual(new Set(["1", "2"])), patience);
    await vi.waitFor(() => expect(polls).toBeGreaterThan(before + 2), patience);
    expect(forgotten).toBe(1);
    expect(logger.count("lost the private redis server")).toBe(1);
    expect(await servers(dataDir)).toHaveLength(1);
  });

  it("listens elsewhere when the data folder takes no socket", async () => {
    await mkdir(join(dataDir, "queue.sock"));
    const queue = await open();
    await queue.wake([id], live);
    expect(await queue.depth()).toEqual({ waiting: 1, active: 0 });
  });

  it("listens elsewhere when the data folder's path is too long for a socket", async () => {
    const deep = join(dataDir, "x".repeat(60), "y".repeat(60));
    await mkdir(deep, { recursive: true });
    const queue = await open(deep);
    await queue.wake([id], live);
    expect(await queue.depth()).toEqual({ waiting: 1, active: 0 });
    expect(await readdir(deep)).toEqual([]);
    const socket = logger.lines.find(({ message }) => message === started)?.fields["socket"];
    if (typeof socket !== "string") throw new TypeError("the log does not say where the server listens");
    expect(Buffer.byteLength(socket)).toBeLessThan(104);
    opened.length = 0;
    await queue[Symbol.asyncDispose]();
    await expect(readdir(join(socket, ".."))).rejects.toThrow("ENOENT");
  });
});

const run = promisify(execFile);

/** The process ids of the Redis servers whose socket or folder is below `folder`. */
async function servers(folder: string): Promise<number[]> {
  const { stdout } = await run("ps", ["-eo", "pid=,args="]);
  const isServer = (line: string) => /^\s*\d+ (\S*\/)?(redis|valkey)-server /.test(line) && line.includes(folder);
  return stdout
    .split("\n")
    .filter(isServer)
    .map((line) => Number.parseInt(line, 10));
}
