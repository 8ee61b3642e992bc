import { describe, expect, it } from "vitest";
import { parseQueueAddress, sharedQueueName } from "../../src/queue/queue-address.ts";

describe("parseQueueAddress", () => {
  it.each([
    ["redis://:secret@cache:6379/2", "redis://:secret@cache:6379/2", "svcsync", "redis://cache:6379/2", "2"],
    ["redis://cache?prefix=tenant_a", "redis://cache", "tenant_a", "redis://cache", "0"],
    ["unix:///run/redis.sock?db=1&prefix=b", "unix:///run/redis.sock?db=1", "b", "unix:///run/redis.sock", "1"],
    ["/run/redis.sock", "unix:///run/redis.sock", "svcsync", "unix:///run/redis.sock", "0"],
    [
      "postgres://me:pw@db/jobs?sslmode=require",
      "postgres://me:pw@db/jobs?sslmode=require",
      "svcsync",
      "postgres://db/jobs",
      "/jobs",
    ],
  ])("takes %s apart", (address, url, prefix, label, database) => {
    expect(parseQueueAddress(address)).toEqual({ url, prefix, label, database });
  });

  it("takes the address of Sentinels apart, whose credentials are not those of the server", () => {
    const address =
      "rediss+sentinel://me:p%2Cw@s1,s2:5000,[::1]:26379/my%20master/3?prefix=b&sentinel_username=u&sentinel_password=x%26y";
    expect(parseQueueAddress(address)).toEqual({
      url: "rediss://me:p%2Cw@s1/3",
      prefix: "b",
      label: "rediss+sentinel://s1,s2:5000,[::1]:26379/my%20master/3",
      database: "my master/3",
      sentinels: {
        primary: "my master",
        hosts: [
          { host: "s1", port: 26379 },
          { host: "s2", port: 5000 },
          { host: "::1", port: 26379 },
        ],
        username: "u",
        password: "x&y",
      },
    });
  });

  it.each([
    "redis+sentinel://s1,s2",
    "redis+sentinel://s1/",
    "redis+sentinel:///mymaster",
    "redis+sentinel://s1/a/b/c",
  ])("refuses %s, which does not say which primary is meant", (address) => {
    const message = expect.stringContaining("redis+sentinel://host:26379,host:26379/mymaster/0");
    expect(() => parseQueueAddress(address)).toThrow(expect.objectContaining({ code: "E_QUEUE_URL", message }));
  });

  it("refuses several hosts where nothing could choose between them", () => {
    const message = expect.stringContaining("2 hosts");
    expect(() => parseQueueAddress("redis://a:1,b:2/0")).toThrow(
      expect.objectContaining({ code: "E_QUEUE_URL", message }),
    );
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
    ["redis+sentinel://s1,s2/mymaster?sentinel_password=x", "rediss+sentinel://:secret@s3:5000/mymaster/0"],
  ])("is the same for %s and %s, which may be one server", (one, other) => {
    expect(sharedQueueName(one)).toBe(sharedQueueName(other));
  });

  it.each([
    ["another database of Redis", "redis://cache/3", "redis://cache"],
    ["another database behind a socket", "unix:///run/redis.sock?db=3", "/run/redis.sock"],
    ["another database of PostgreSQL", "postgres://db/jobs", "postgres://db/others"],
    ["another prefix", "redis://cache?prefix=a", "redis://cache"],
    ["another kind of server", "redis://cache/jobs", "postgres://cache/jobs"],
    ["another primary", "redis+sentinel://s1,s2/mymaster", "redis+sentinel://s1,s2/other"],
    ["a server that Sentinel may replace", "redis+sentinel://s1,s2/mymaster", "redis://cache"],
  ])("differs for %s", (_, one, other) => {
    expect(sharedQueueName(one)).not.toBe(sharedQueueName(other));
  });
});
