import { describe, expect, it } from "vitest";
import { parseQueueAddress } from "../../src/queue/queue-address.ts";

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
