import { describe, expect, it } from "vitest";
import { nearest } from "#model";

describe("nearest", () => {
  it.each([
    ["SERVICE_TOKN", "SERVICE_TOKEN"],
    ["SERVICE_TOEKN", "SERVICE_TOKEN"],
    ["SERVICE_URLS", "SERVICE_URL"],
    ["SERVIXE_URK", "SERVICE_URL"],
  ])("finds what %s was meant to be", (name, meant) => {
    expect(nearest(name, ["SERVICE_URL", "SERVICE_TOKEN"])).toBe(meant);
  });

  it("prefers the fewest edits", () => {
    expect(nearest("LOG_LEVE", ["LOG_LEVER", "LOG_LEVE1S", "LOG_LEVEL"])).toBe("LOG_LEVER");
    expect(nearest("ABCD", ["ABXX", "ABCX"])).toBe("ABCX");
  });

  it("leaves different names alone", () => {
    expect(nearest("SERVICE_COLOUR", ["SERVICE_URL"])).toBeUndefined();
    expect(nearest("email2", ["email1", "email"])).toBeUndefined();
    expect(nearest("emial2", ["email1", "email2"])).toBe("email2");
  });
});
