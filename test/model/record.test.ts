import { describe, expect, it } from "vitest";
import { isAscending } from "#model";

describe("keys", () => {
  it("ascend when each is greater than the one before, so that none comes twice", () => {
    expect(isAscending([])).toBe(true);
    expect(isAscending(["a", "b", "ba"])).toBe(true);
    expect(isAscending(["a", "b", "b"])).toBe(false);
    expect(isAscending(["10", "9", "91"])).toBe(true);
    expect(isAscending(["9", "10"])).toBe(false);
  });
});
