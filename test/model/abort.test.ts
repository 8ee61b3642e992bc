import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { onAbort, ListenerSet } from "#model";

describe("following a signal", () => {
  it("is told of the abort once, each of those who still follow", () => {
    const stop = new AbortController();
    const told: string[] = [];
    onAbort(stop.signal, () => told.push("first"));
    const unfollow = onAbort(stop.signal, () => told.push("gone"));
    onAbort(stop.signal, () => told.push("last"));
    unfollow();
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
    stop.abort();
    stop.abort();
    expect(told).toEqual(["first", "last"]);
  });

  it("may stop following while the others are told", () => {
    const stop = new AbortController();
    const told: string[] = [];
    onAbort(stop.signal, () => unfollow());
    const unfollow = onAbort(stop.signal, () => told.push("gone"));
    stop.abort();
    expect(told).toEqual([]);
  });
});

describe("visitors", () => {
  it("are seen in the order in which they came, the same one as often as it came", () => {
    const visitors = new ListenerSet<string>();
    const leave = visitors.add("a");
    visitors.add("b");
    visitors.add("a");
    leave();
    leave();
    const seen: string[] = [];
    visitors.forEach((visitor, out) => {
      seen.push(visitor);
      out();
    });
    visitors.forEach((visitor) => seen.push(`still ${visitor}`));
    expect(seen).toEqual(["b", "a"]);
  });
});
