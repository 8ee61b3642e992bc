import { describe, expect, it } from "vitest";
import { secretsInAddress } from "#model";

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
    ["sqlite:/var/lib/erp.db", []],
  ])("of %s are %j", (address, secrets) => {
    expect(secretsInAddress(address)).toEqual(secrets);
  });
});
