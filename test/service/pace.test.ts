import { describe, expect, it } from "vitest";
import { Pace } from "../../src/service/transport/pace.ts";
import { fixedWindow, slidingWindow, tokenBucket, type Limiter } from "./limiters.ts";
import { simulate } from "./simulated-client.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const MINUTE_MS = 60_000;
const DAY_S = 86_400;

describe("the pace of the client", () => {
  describe.each([20, 40, 100])("at a limit of %d a second", (limit) => {
    it.each<[string, () => Limiter]>([
      ["any second", () => slidingWindow(limit)],
      ["any second, without Retry-After", () => slidingWindow(limit, "silent")],
      ["each second by the service's clock", () => fixedWindow(limit, 1_000)],
      ["a second on average, with a burst", () => tokenBucket(limit, limit)],
    ])("counted in %s: needs 1.05 requests each at most and uses 0.95 of it", (_, limiter) => {
      for (const lateness of [{}, { lateMs: 20, jitterMs: 10 }]) {
        const { perNeeded, perSecond } = simulate({ limiter: limiter(), seconds: 60, ...lateness });
        expect(perNeeded).toBeLessThan(1.05);
        expect(perSecond).toBeGreaterThan(0.95 * limit);
      }
    });

    it("uses as much when it runs for long: a higher rate that was refused is tried ever more rarely", () => {
      const { perNeeded, perSecond } = simulate({ limiter: slidingWindow(limit), seconds: 1_200, from: 60 });
      expect(perNeeded).toBeLessThan(1.001);
      expect(perSecond).toBeGreaterThan(0.97 * limit);
    });

    it("is refused little and uses 0.9 of it on a machine that wakes 50 ms late and a network that bunches requests", () => {
      const late = { lateMs: 50, jitterMs: 40 };
      const { perNeeded, perSecond } = simulate({ limiter: slidingWindow(limit), seconds: 60, ...late });
      expect(perNeeded).toBeLessThan(1.05);
      expect(perSecond).toBeGreaterThan(0.9 * limit);
    });

    it("finds the rate of a service that takes small bursts only", () => {
      const { perSecond } = simulate({ limiter: tokenBucket(limit, limit / 4), seconds: 900, from: 240 });
      expect(perSecond).toBeGreaterThan(0.95 * limit);
    });
  });

  it("uses a limit per minute whole, by staying away for as long as the service says", () => {
    const { perNeeded, perSecond } = simulate({ limiter: fixedWindow(600, MINUTE_MS), seconds: 600 });
    expect(perNeeded).toBeLessThan(1.05);
    expect(perSecond).toBeGreaterThan(0.95 * 10);
  });

  it("uses a quota per day whole, and asks at most once an hour whether the next day has begun", () => {
    const { passed, refused } = simulate({ limiter: fixedWindow(10_000, DAY_S * 1_000), seconds: 2 * DAY_S });
    expect(passed).toBe(20_000);
    expect(refused).toBeLessThan(100);
  });

  it("takes up a limit that was raised, and falls to one that was lowered", () => {
    const limits = [slidingWindow(40), slidingWindow(100), slidingWindow(20)];
    const limiter: Limiter = (now) => limits[now < 100_000 ? 0 : now < 400_000 ? 1 : 2]!(now);
    const rates = [100, 400, 500].map((seconds) => simulate({ limiter, seconds }).pace.perSecond);
    expect(rates[0]).toBeCloseTo(39.8, 0);
    expect(rates[1]).toBeGreaterThan(90);
    expect(rates[2]).toBeLessThanOrEqual(20);
  });

  it.each([60, 600])("goes one at a time at the end of a quota of %d a minute: one refusal a minute", (limit) => {
    const { passed, refused } = simulate({ limiter: fixedWindow(limit, MINUTE_MS), seconds: 600, from: 60 });
    expect(passed).toBe(9 * limit);
    expect(refused).toBeLessThanOrEqual(9);
  });

  describe.each([20, 40, 100])("as one of three that share a limit of %d a second", (limit) => {
    it.each([0, 400, 1_500, 3_000])("uses 0.93 of it where each begins %d ms after the one before", (apartMs) => {
      for (const lateness of [{}, { lateMs: 20, jitterMs: 10 }])
        for (const seed of [7, 8]) {
          const three = { clients: 3, concurrency: 63, apartMs, seed, ...lateness };
          const { paces, perNeeded, perSecond } = simulate({ limiter: slidingWindow(limit), seconds: 60, ...three });
          expect(paces.reduce((sum, { limits }) => sum + (limits.rate ?? 0), 0)).toBe(limit);
          expect(perNeeded).toBeLessThan(1.05);
          expect(perSecond).toBeGreaterThan(0.93 * limit);
        }
    });
  });

  it("uses 0.95 of a limit although some answers take 300 ms longer than others", () => {
    const slow = { answerMs: 300, concurrency: 64 };
    const { perNeeded, perSecond } = simulate({ limiter: slidingWindow(40), seconds: 120, from: 5, ...slow });
    expect(perNeeded).toBeLessThan(1.05);
    expect(perSecond).toBeGreaterThan(0.95 * 40);
  });

  it("is unknown until the first refusal: nothing is held back", () => {
    const pace = new Pace(() => 0);
    for (let at = 0; at < 1_000; at++) {
      expect(pace.delayMs()).toBe(0);
      pace.take();
    }
  });

  it("holds every request back for as long as one refusal says, then lets one probe through and the rest after it", () => {
    let now = 10;
    const pace = new Pace(() => now);
    pace.refused(pace.take(), 700);
    expect(pace.delayMs()).toBe(700);
    now = 710;
    expect(pace.delayMs()).toBe(0);
    const probe = pace.take();
    expect(pace.delayMs()).toBe(Number.POSITIVE_INFINITY);
    pace.passed(probe);
    expect(pace.delayMs()).toBeLessThan(2_000);
  });

  it("stays away as long as another client was asked to, and tells nobody what it only heard", () => {
    let now = 10;
    let told = 0;
    const pace = new Pace(() => now);
    pace.onPause(() => told++);
    pace.setLimits({ pausedMs: 700, rate: undefined });
    expect([pace.delayMs(), pace.limits.pausedMs, told]).toEqual([700, 0, 0]);
    now = 710;
    pace.refused(pace.take(), 5_000);
    expect([pace.limits.pausedMs, told]).toEqual([5_000, 1]);
    // A shorter one is over by then.
    pace.setLimits({ pausedMs: 300, rate: undefined });
    expect(pace.delayMs()).toBe(5_000);
  });

  it("takes what it sent in the second of another client's refusal as its part of the limit, and next to nothing where it sent none", () => {
    let now = 10;
    const [busy, idle] = [new Pace(() => now), new Pace(() => now)];
    for (let at = 0; at < 8; at++) busy.passed(busy.take());
    for (const pace of [busy, idle]) pace.setLimits({ pausedMs: 1_000, rate: undefined });
    now += 1_000;
    for (const pace of [busy, idle]) pace.delayMs();
    expect([busy, idle].map(({ limits }) => limits.rate)).toEqual([8, 1]);
  });

  it("sends at the rate that it is granted, and keeps what it learned since", () => {
    let now = 10;
    const pace = new Pace(() => now);
    pace.setLimits({ pausedMs: 0, rate: 4 });
    expect(pace.limits.rate).toBe(4);
    // Earlier a refusal may be about what others had sent before they heard of their parts.
    now += 2_000;
    for (let at = 0; at < 4; at++) pace.passed(pace.take());
    now += 100;
    pace.refused(pace.take(), 100);
    now += 100;
    pace.delayMs();
    pace.passed(pace.take());
    pace.refused(pace.take(), 100);
    now += 100;
    pace.delayMs();
    const learned = pace.limits.rate;
    expect(learned).toBeLessThan(4);
    pace.setLimits({ pausedMs: 0, rate: 4 });
    expect(pace.limits.rate).toBe(learned);
    pace.setLimits({ pausedMs: 0, rate: 6 });
    expect(pace.limits.rate).toBe(6);
  });

  it("waits twice as long after each probe that is refused without Retry-After", () => {
    let now = 0;
    const pace = new Pace(() => now);
    pace.refused(pace.take());
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000]) {
      expect(pace.holdMs).toBe(pauseMs);
      now += pauseMs;
      expect(pace.delayMs()).toBe(0);
      pace.refused(pace.take());
    }
  });

  it("lets the next one probe, after a longer pause, when a probe is not answered", () => {
    let now = 0;
    const pace = new Pace(() => now);
    pace.refused(pace.take());
    now = 1_000;
    expect(pace.delayMs()).toBe(0);
    pace.lost(pace.take());
    expect(pace.delayMs()).toBe(2_000);
    now = 3_000;
    expect(pace.delayMs()).toBe(0);
    pace.take();
    expect(pace.delayMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it("lets the next one probe at once when a probe was never sent", () => {
    let now = 0;
    const pace = new Pace(() => now);
    pace.refused(pace.take());
    now = 1_000;
    expect(pace.delayMs()).toBe(0);
    pace.unsent(pace.take());
    expect(pace.delayMs()).toBe(0);
    pace.take();
    expect(pace.delayMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it("gives all back who would have to wait once it drains, and lets pass what need not wait", async () => {
    let now = 0;
    const pace = new Pace(() => now);
    pace.refused(await pace.turn(never), 1_000);
    const waiting = thrownBy(pace.turn(never));
    pace.drain();
    expect(await waiting).toMatchObject({ code: "E_SERVICE_BUSY", afterMs: 1_000 });
    expect(await thrownBy(pace.turn(never))).toMatchObject({ code: "E_SERVICE_BUSY" });
    now = 1_000;
    pace.passed(await pace.turn(never));
  });

  it("gives all back who would have to wait while it is not patient", async () => {
    const pace = new Pace(() => 0);
    pace.refused(await pace.turn(never), 1_000);
    const waiting = thrownBy(pace.turn(never));
    pace.setPatient(false);
    expect(await waiting).toMatchObject({ code: "E_SERVICE_BUSY", afterMs: 1_000 });
    pace.setPatient(true);
    const patient = pace.turn(never);
    pace.drain();
    expect(await thrownBy(patient)).toMatchObject({ code: "E_SERVICE_BUSY" });
    pace.setPatient(true);
    expect(await thrownBy(pace.turn(never))).toMatchObject({ code: "E_SERVICE_BUSY" });
  });

  it("leaves a long pause to the caller, and to those who wait already", async () => {
    const pace = new Pace(() => 0);
    const turn = await pace.turn(never);
    pace.refused(turn, 1_000);
    const waiting = thrownBy(pace.turn(never));
    pace.refused(turn, 60_000);
    for (const thrown of [waiting, thrownBy(pace.turn(never))])
      expect(await thrown).toMatchObject({ code: "E_SERVICE_BUSY", afterMs: 60_000 });
  });

  it("gives turns in the order of the calls, and forgets those who gave up", async () => {
    const pace = new Pace();
    pace.refused(await pace.turn(never), 20);
    const given: string[] = [];
    const leaving = new AbortController();
    const first = pace.turn(never).then((turn) => (given.push("first"), pace.passed(turn)));
    const left = thrownBy(pace.turn(leaving.signal));
    const second = pace.turn(never).then(() => given.push("second"));
    leaving.abort(new Error("gave up"));
    expect(await left).toMatchObject({ message: "gave up" });
    await Promise.all([first, second]);
    expect(given).toEqual(["first", "second"]);
  });
});
