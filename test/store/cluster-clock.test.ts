import { describe, expect, it } from "vitest";
import { ClusterClock } from "../../src/store/postgres/cluster/cluster-clock.ts";
import { SetClock } from "../kit/clock.ts";

const HOUR_MS = 3_600_000;

describe("the clock of a replica", () => {
  it("is the machine's until the database has told its time", () => {
    const own = new SetClock(1_000);
    const clock = new ClusterClock(own);
    own.at += HOUR_MS;
    expect(clock.now()).toBe(1_000 + HOUR_MS);
  });

  it("is the database's from then on, also at the moment at which the machine's is set", () => {
    const own = new SetClock(1_000);
    const clock = new ClusterClock(own);
    const told = 5 * HOUR_MS;
    clock.correct(told, 0);
    own.at += HOUR_MS;
    expect(clock.now()).toBeGreaterThanOrEqual(told);
    expect(clock.now()).toBeLessThan(told + HOUR_MS);
  });

  it("follows the database's when that is set, and not the delay of a network", () => {
    const clock = new ClusterClock(new SetClock(0));
    clock.correct(HOUR_MS, 0);
    const before = clock.now();
    clock.correct(HOUR_MS + 1_000, 2_000);
    expect(clock.now()).toBeLessThan(before + HOUR_MS);
    clock.correct(3 * HOUR_MS, 10);
    expect(clock.now()).toBeGreaterThanOrEqual(3 * HOUR_MS);
  });
});
