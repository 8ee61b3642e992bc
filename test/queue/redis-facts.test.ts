import { describe, expect, it } from "vitest";
import { readRedisFacts } from "../../src/queue/bull/redis-facts.ts";

describe("readRedisFacts", () => {
  it.each([
    ["redis_version:7.0.15", "redis 7.0.15", true],
    ["redis_version:6.2.0", "redis 6.2.0", true],
    ["redis_version:6.0.16", "redis 6.0.16", false],
    ["redis_version:5.0.7", "redis 5.0.7", false],
    ["redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.0", "valkey 8.1.0", true],
  ])("reads %j as %s", (info, version, isFit) => {
    expect(readRedisFacts(`# Server\r\n${info}\r\n`)).toEqual({ version, isFit });
  });

  it("reads the eviction policy", () => {
    const info = "redis_version:7.0.15\r\n# Memory\r\nmaxmemory_policy:allkeys-lru\r\nmaxmemory_human:0B\r\n";
    expect(readRedisFacts(info).evictionPolicy).toBe("allkeys-lru");
  });

  it("reads the id of the process", () => {
    expect(readRedisFacts("redis_version:7.0.15\r\nrun_id:8f3c\r\n").runId).toBe("8f3c");
  });
});
