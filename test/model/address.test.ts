import { describe, expect, it } from "vitest";
import { secretsInAddress, splitHosts } from "#model";

describe("the secrets in an address", () => {
  it.each([
    ["postgres://u:3rp@h/db", ["3rp"]],
    ["redis://:r%2Fedis@h", ["r%2Fedis", "r/edis"]],
    ["x://u:%E0@h", ["%E0"]],
    ["postgres://h/db?user=u&password=a%40b&sslmode=require", ["a%40b", "a@b"]],
    ["mssql://h/db;Password=x;encrypt=true", ["x"]],
    ["https://a.example/b@c", []],
    ["https://a.example/x?access_token=abc#top", ["abc"]],
    ["no address: a?password=x", []],
    ["redis+sentinel://:r1@a:1,b:2/m?sentinel_password=r2", ["r1", "r2"]],
    ["sqlite:/var/lib/erp.db", []],
  ])("of %s are %j", (address, secrets) => {
    expect(secretsInAddress(address)).toEqual(secrets);
  });
});

describe("splitHosts", () => {
  it.each([
    ["redis://u:p@a:1/0", ["a:1"], "redis://u:p@a:1/0"],
    ["x://u:p,q@a:1,[::1]:2,c/d?e=f,g", ["a:1", "[::1]:2", "c"], "x://u:p,q@a:1/d?e=f,g"],
    ["unix:///run/a,b.sock", [""], "unix:///run/a,b.sock"],
  ])("finds in %s the hosts %j", (address, hosts, href) => {
    const split = splitHosts(address);
    expect([split?.hosts, split?.url.href]).toEqual([hosts, href]);
  });

  it.each(["no address", "x://a,,b/d", "x://a,b:port/d", "x://a:port,b/d"])("takes %s for no address", (text) => {
    expect(splitHosts(text)).toBeUndefined();
  });
});
