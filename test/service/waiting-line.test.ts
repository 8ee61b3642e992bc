import { describe, expect, it } from "vitest";
import { AdaptiveLimit } from "../../src/service/transport/limit.ts";
import { Pace } from "../../src/service/transport/pace.ts";
import { WaitingLine } from "../../src/service/transport/waiting-line.ts";

describe("those who wait", () => {
  it("are served in their order, those that give way after the others, and not never", () => {
    const line = new WaitingLine<string>();
    line.add("reading", { behind: true });
    for (let at = 1; at <= 12; at++) line.add(`delivery ${at}`, {});
    line.add("again", { first: true });
    const served = Array.from({ length: 14 }, () => line.next());
    expect(served.slice(0, 2)).toEqual(["again", "delivery 1"]);
    expect(served.indexOf("reading")).toBe(9);
    expect([served.at(-1), line.next(), line.length]).toEqual(["delivery 12", undefined, 0]);
  });

  it("may leave", () => {
    const line = new WaitingLine<string>();
    line.add("delivery", {});
    line.add("reading", { behind: true });
    line.leave("delivery");
    line.leave("unknown");
    expect([line.length, line.clear()]).toEqual([1, ["reading"]]);
  });
});

describe("a request that gives way", () => {
  const signal = new AbortController().signal;

  it("starts after others that came later, when one ends", async () => {
    const limit = new AdaptiveLimit(1);
    await limit.enter(signal);
    const order: string[] = [];
    const reading = limit.enter(signal, { behind: true })!.then(() => order.push("reading"));
    const delivery = limit.enter(signal)!.then(() => order.push("delivery"));
    limit.leave("fine", "GET", 1);
    await delivery;
    limit.leave("fine", "GET", 1);
    await reading;
    expect(order).toEqual(["delivery", "reading"]);
  });

  it("is sent after them when the service's rate holds all back", async () => {
    let now = 0;
    const pace = new Pace(() => now);
    const first = await pace.turn(signal);
    pace.refused(first, 1);
    const order: string[] = [];
    const send = async (name: string, behind: boolean) => {
      const turn = await pace.turn(signal, { behind });
      order.push(name);
      now += 2_000;
      pace.passed(turn);
    };
    const [reading, delivery] = [send("reading", true), send("delivery", false)];
    now = 2_000;
    await Promise.all([reading, delivery]);
    expect(order).toEqual(["delivery", "reading"]);
  });
});
