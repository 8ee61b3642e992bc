import { describe, expect, it } from "vitest";
import { parseQueueAddress, sharedQueueName } from "../../src/queue/queue-address.ts";

describe("parsePlace", () => {
  it.each([
    ["redis://:secret@cache:6379/2", "redis://:secret@cache:6379/2", "svcsync", "redis://cache:6379/2"],
    ["redis://cache?prefix=tenant_a", "redis://cache", "tenant_a", "redis://cache"],
    ["unix:///run/redis.sock?db=1&prefix=b", "unix:///run/redis.sock?db=1", "b", "unix:///run/redis.sock"],
    ["/run/redis.sock", "unix:///run/redis.sock", "svcsync", "unix:///run/redis.sock"],
    [
      "postgres://me:pw@db/jobs?sslmode=require",
      "postgres://me:pw@db/jobs?sslmode=require",
      "svcsync",
      "postgres://db/jobs",
    ],
  ])("takes %s apart", (address, url, prefix, label) => {
    expect(parseQueueAddress(address)).toEqual({ url, prefix, label });
  });

  it("refuses a prefix that would not be a name on every server", () => {
    expect(() => parseQueueAddress("redis://cache?prefix=a:b")).toThrow(
      expect.objectContaining({ code: "E_QUEUE_URL", message: expect.stringContaining('"a:b"') }),
    );
  });

  it("refuses what is no address, without repeating it", () => {
    expect(() => parseQueueAddress("my secret")).toThrow(
      expect.objectContaining({ code: "E_QUEUE_URL", message: expect.not.stringContaining("secret") }),
    );
  });
});

describe("sharedQueueName", () => {
  it.each([
    ["redis://cache", "rediss://:secret@10.0.0.1:6380/0"],
    ["redis://cache/3", "unix:///run/redis.sock?db=3"],
    ["redis://cache?db=3", "redis+unix:///run/redis.sock?db=3"],
    ["postgres://a@db/jobs", "postgresql://b@10.0.0.1:6432/jobs"],
  ])("is the same for %s and %s, which may be one server", (one, other) => {
    expect(sharedQueueName(one)).toBe(sharedQueueName(other));
  });

  it.each([
    ["another database of Redis", "redis://cache/3", "redis://cache"],
    ["another database behind a socket", "unix:///run/redis.sock?db=3", "/run/redis.sock"],
    ["another database of PostgreSQL", "postgres://db/jobs", "postgres://db/others"],
    ["another prefix", "redis://cache?prefix=a", "redis://cache"],
    ["another kind of server", "redis://cache/jobs", "postgres://cache/jobs"],
  ])("differs for %s", (_, one, other) => {
    expect(sharedQueueName(one)).not.toBe(sharedQueueName(other));
  });
});
