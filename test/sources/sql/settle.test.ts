import { describe, expect, it } from "vitest";
import { settle } from "../../../src/sources/sql/markers/settle.ts";

describe("settle", () => {
  it("moves the mark at once when no transaction is open", () => {
    expect(settle({ mark: "5" }, { mark: "9", atMs: 0, open: [] }, 0)).toEqual({ mark: "9" });
  });

  it("keeps the mark while a transaction that was open is still open", () => {
    const first = settle({ mark: "5" }, { mark: "9", atMs: 0, open: ["a", "b"] }, 0);
    expect(first).toEqual({ mark: "5", pending: { mark: "9", atMs: 0, open: ["a", "b"] } });
    expect(settle(first, { mark: "12", atMs: 1, open: ["b", "c"] }, 0)).toEqual(first);
  });

  it("moves to the pending mark, not beyond, once those have ended", () => {
    const first = settle({ mark: "5" }, { mark: "9", atMs: 0, open: ["a"] }, 0);
    const now = { mark: "12", atMs: 1, open: ["c"] };
    expect(settle(first, now, 0)).toEqual({ mark: "9", pending: now });
  });

  it("waits for its patience where the server does not tell what is open", () => {
    const first = settle({ mark: null }, { mark: "9", atMs: 0 }, 100);
    expect(first.mark).toBeNull();
    expect(settle(first, { mark: "10", atMs: 99 }, 100).mark).toBeNull();
    expect(settle(first, { mark: "10", atMs: 100 }, 100).mark).toBe("9");
  });
});
