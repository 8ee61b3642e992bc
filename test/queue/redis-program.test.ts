import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "#model";
import { openQueue } from "#queue";
import { findRedis } from "../../src/queue/private/redis-program.ts";
import { memoryLogger } from "../kit/logger.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "svcsync-path-"));
  vi.stubEnv("PATH", folder);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function program(name: string, does: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${does}\n`, { mode: 0o755 });
}

describe("findRedis", () => {
  it.each([
    ["redis-server", "Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.1.0 bits=64"],
    ["redis-server", "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64"],
    ["valkey-server", "Valkey server v=8.1.0 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64"],
  ] as const)("finds a %s that the queue can use", async (command, version) => {
    await program(command, `echo '${version}'`);
    expect((await findRedis()).program).toEqual({ command, version });
  });

  it.each(["5.0.7", "6.0.16"])("passes over Redis %s, and over a program that reports no version", async (version) => {
    await program("redis-server", `echo 'Redis server v=${version} sha=00000000:0'`);
    await program("valkey-server", "exit 1");
    expect(await findRedis()).toEqual({
      program: undefined,
      passedOver: [
        `redis-server is version ${version}, older than Redis 6.2 or Valkey 7.2`,
        "valkey-server does not report its version",
      ],
    });
  });

  it("takes the one that reports its version, where the other one hangs", async () => {
    await program("redis-server", "exec /bin/sleep 3600");
    await program("valkey-server", "echo Valkey server v=8.1.0");
    expect(await findRedis()).toEqual({
      program: { command: "valkey-server", version: "Valkey server v=8.1.0" },
      passedOver: ["redis-server does not report its version"],
    });
  });

  it("finds none on Windows, whatever is on the PATH", async () => {
    await program("redis-server", "echo Redis server v=7.0.15");
    expect((await findRedis("win32")).program).toBeUndefined();
  });
});

describe("a queue of svcsync's own", () => {
  it("is in-process where the PATH has no Redis, and says so once", async () => {
    const logger = memoryLogger();
    await using queue = await openQueue({ kind: "own", dataDir: folder }, { clock: systemClock, logger });
    expect(queue.kind).toBe("in-process");
    const why = "redis-server is not on the PATH; valkey-server is not on the PATH";
    const message = "started the in-process queue, without a Redis server";
    expect(logger.lines).toEqual([{ level: "info", message, fields: { why } }]);
  });

  it("fails where Redis is there and does not start: another queue would hide the fault", async () => {
    await program("redis-server", '[ "$1" = --version ] && echo Redis server v=7.0.15 || { echo no room; exit 1; }');
    const opening = openQueue({ kind: "own", dataDir: folder }, { clock: systemClock, logger: memoryLogger() });
    await expect(opening).rejects.toMatchObject({ code: "E_REDIS_FAILED", family: "stop" });
  });
});
