import { assert, describe, expect, it, onTestFinished, vi } from "vitest";
import { RetryError, WaitError } from "#model";
import { Breaker } from "../../src/service/transport/breaker.ts";
import { AdaptiveLimit } from "../../src/service/transport/limit.ts";
import { open, standIn, type Reply } from "./stand-in.ts";
import { OffsetClock } from "../kit/clock.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const round = (limit: AdaptiveLimit, load: "fine" | "overloaded", durationMs = 10, kind = "GET customer") => {
  void limit.enter(undefined);
  limit.leave(load, kind, durationMs);
};

describe("the adaptive limit", () => {
  it("halves on an overload and grows back by one per round, up to the ceiling", () => {
    const limit = new AdaptiveLimit(8);
    round(limit, "overloaded");
    expect(limit.current).toBe(4);
    for (let at = 0; at < 5; at++) round(limit, "fine");
    expect(limit.current).toBe(5);
    for (let at = 0; at < 100; at++) round(limit, "fine");
    expect(limit.current).toBe(8);
  });

  it("halves once for all requests that ran when the service was overloaded", () => {
    const limit = new AdaptiveLimit(8);
    for (let at = 0; at < 8; at++) void limit.enter(undefined);
    for (let at = 0; at < 8; at++) limit.leave("overloaded", "GET customer", 10);
    expect(limit.current).toBe(4);
  });

  it("never goes below one", () => {
    const limit = new AdaptiveLimit(4);
    for (let at = 0; at < 20; at++) round(limit, "overloaded");
    expect(limit.current).toBe(1);
  });

  it("shrinks when answers of one kind take longer than usual, and not because another kind is slow", () => {
    const limit = new AdaptiveLimit(8);
    for (let at = 0; at < 50; at++) round(limit, "fine", 50);
    for (let at = 0; at < 50; at++) round(limit, "fine", 4000, "GET ticket");
    expect(limit.current).toBe(8);
    for (let at = 0; at < 10; at++) round(limit, "fine", 2000);
    expect(limit.current).toBeLessThan(8);
  });

  it("lets callers wait for seconds only while its ceiling is 0, and none begin", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const limit = new AdaptiveLimit(1);
    void limit.enter(undefined);
    const before = thrownBy(Promise.resolve(limit.enter(undefined)));
    limit.setCeiling(0);
    const after = thrownBy(Promise.resolve(limit.enter(undefined)));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await before).toMatchObject({ family: "wait", code: "E_REPLICA_SHARE" });
    expect(await after).toMatchObject({ family: "wait", code: "E_REPLICA_SHARE" });
    const patient = limit.enter(undefined);
    limit.leave("fine", "x", 1);
    limit.setCeiling(1);
    await patient;
  });

  it("lets those who waited before its ceiling became 0 wait for seconds only", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const limit = new AdaptiveLimit(1);
    void limit.enter(undefined);
    const waiting = thrownBy(Promise.resolve(limit.enter(undefined)));
    limit.setCeiling(0);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await waiting).toMatchObject({ code: "E_REPLICA_SHARE" });
  });

  it("lets callers wait for as long as it takes again once its ceiling is no longer 0", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const limit = new AdaptiveLimit(1);
    void limit.enter(undefined);
    limit.setCeiling(0);
    const waiting = limit.enter(undefined);
    limit.setCeiling(1);
    await vi.advanceTimersByTimeAsync(60_000);
    limit.leave("fine", "x", 1);
    await expect(waiting).resolves.toBeUndefined();
  });

  it("lets a list that is read without a share wait for seconds only, too: replicas with one may wait for it", async () => {
    await using server = await standIn(() => undefined);
    await using opened = open(server.url);
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    opened.service.setShare(0);
    const ended = vi.fn<() => void>();
    const pages = opened.service.list("customer", { fields: ["id"] }, never)[Symbol.asyncIterator]();
    const reading = thrownBy(pages.next()).finally(ended);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ended).toHaveBeenCalled();
    expect(await reading).toMatchObject({ family: "wait", code: "E_REPLICA_SHARE" });
    expect(server.seen).toEqual([]);
  });

  it("lets callers in by order and lets go of those who no longer wait", async () => {
    const limit = new AdaptiveLimit(1);
    const order: string[] = [];
    void limit.enter(undefined);
    const stop = new AbortController();
    const first = limit.enter(never)?.then(() => order.push("first"));
    const gone = limit.enter(stop.signal);
    const second = limit.enter(never)?.then(() => order.push("second"));
    stop.abort(new Error("stopping"));
    await expect(gone).rejects.toThrow("stopping");
    limit.leave("fine", "x", 1);
    await first;
    limit.leave("fine", "x", 1);
    await second;
    expect(order).toEqual(["first", "second"]);
  });
});

const settings = { failures: 3, pauseMs: 40, pauseMaxMs: 100 };
const failing = () => Promise.reject(new RetryError("E_INTERNAL", "down"));
const late = () => Promise.reject(new RetryError("E_SERVICE_UNREACHABLE", "late", { details: { reason: "timeout" } }));
const opened = async (pauses = settings) => {
  const changes: string[] = [];
  const breaker = new Breaker(pauses, (state) => changes.push(state));
  for (let at = 0; at < settings.failures; at++) await thrownBy(breaker.run(failing));
  return { breaker, changes };
};
const pauseOver = async (breaker: Breaker) => {
  await expect.poll(() => Date.now() >= (breaker.probeAt ?? 0)).toBe(true);
};
const nobody = () => undefined;

describe("the circuit breaker", () => {
  it("opens after failures in a row and sends nothing until its pause is over", async () => {
    const { breaker, changes } = await opened({ failures: 3, pauseMs: 60_000, pauseMaxMs: 60_000 });
    let called = false;
    const thrown = await thrownBy(breaker.run(() => Promise.resolve((called = true))));
    assert(thrown instanceof WaitError);
    expect(thrown.code).toBe("E_SERVICE_DOWN");
    expect(thrown.afterMs).toBeGreaterThan(0);
    expect([called, breaker.state, changes]).toEqual([false, "open", ["open"]]);
  });

  it("lets exactly one probe through, and closes when it succeeds", async () => {
    const { breaker, changes } = await opened();
    await pauseOver(breaker);
    let answer: (value: string) => void = nobody;
    const probe = breaker.run(() => new Promise<string>((resolve) => (answer = resolve)));
    expect(breaker.state).toBe("half-open");
    expect(await thrownBy(breaker.run(() => Promise.resolve("second")))).toMatchObject({ code: "E_SERVICE_DOWN" });
    answer("well");
    expect(await probe).toBe("well");
    expect(await breaker.run(() => Promise.resolve("all"))).toBe("all");
    expect([breaker.state, breaker.probeAt, changes]).toEqual(["closed", undefined, ["open", "closed"]]);
  });

  it("stays open, for longer, when the probe fails", async () => {
    const { breaker } = await opened();
    await pauseOver(breaker);
    const before = Date.now();
    await thrownBy(breaker.run(failing));
    expect(breaker.state).toBe("open");
    expect((breaker.probeAt ?? 0) - before).toBeGreaterThan(settings.pauseMs);
  });

  it("does not take a probe that was aborted for a sign of life", async () => {
    const { breaker } = await opened();
    await pauseOver(breaker);
    await thrownBy(breaker.run(() => Promise.reject(new Error("stopping"))));
    expect(breaker.state).toBe("open");
  });

  it("opens after two time-outs in a row: ten would hide for minutes that the service hangs", async () => {
    const { promise: end, resolve: answer } = Promise.withResolvers<Reply>();
    await using server = await standIn(() => end);
    const breaker = { failures: 10, pauseMs: 60_000, pauseMaxMs: 60_000 };
    await using client = open(server.url, { answerTimeoutMs: 50 }, { breaker });
    const create = () => thrownBy(client.service.create("customer", { name: "A" }, never));
    expect(await create()).toMatchObject({ code: "E_SERVICE_UNREACHABLE" });
    expect(client.service.state()).toMatchObject({ state: "closed" });
    await create();
    expect(client.service.state()).toMatchObject({ state: "open" });
    answer({ status: 503 });
  });

  it("is not opened by time-outs between answers", async () => {
    const breaker = new Breaker({ ...settings, failures: 10 }, nobody);
    for (let at = 0; at < 5; at++) {
      await thrownBy(breaker.run(late));
      await breaker.run(() => Promise.resolve("answer"));
    }
    expect(breaker.state).toBe("closed");
  });

  it("is not opened by refusals or busy answers", async () => {
    const busy: Reply = { status: 429, headers: { "retry-after": "0" } };
    const replies: Reply[] = [{ status: 400 }, busy, { status: 403 }, busy, { status: 405 }];
    await using server = await standIn(() => replies[server.seen.length % replies.length]);
    await using client = open(server.url, {}, { breaker: settings });
    for (let at = 0; at < 12; at++) await thrownBy(client.service.create("customer", { name: "A" }, never));
    expect(client.service.state()).toMatchObject({ state: "closed", requests: 20 });
  });

  it("says when it probes by the clock of the service, whatever the machine's says", async () => {
    await using server = await standIn(() => ({ status: 503 }));
    const clock = new OffsetClock(-3_600_000);
    const breaker = { ...settings, pauseMs: 60_000, pauseMaxMs: 60_000 };
    await using client = open(server.url, {}, { breaker, clock });
    for (let at = 0; at < 3; at++) await thrownBy(client.service.create("customer", { name: "A" }, never));
    const { probeAt = 0 } = client.service.state();
    const inMs = probeAt - clock.now();
    expect([inMs > 0, inMs <= breaker.pauseMs]).toEqual([true, true]);
  });

  it("shows in the state of the service, and is announced once", async () => {
    await using server = await standIn(() => ({ status: 503 }));
    await using client = open(server.url, {}, { breaker: { ...settings, pauseMs: 60_000, pauseMaxMs: 60_000 } });
    const create = () => thrownBy(client.service.create("customer", { name: "A" }, never));
    for (let at = 0; at < 3; at++) expect(await create()).toMatchObject({ code: "E_SERVICE_FAILED" });
    expect(await create()).toMatchObject({ family: "wait", code: "E_SERVICE_DOWN" });
    expect(server.seen).toHaveLength(3);
    const { state, probeAt, concurrency } = client.service.state();
    expect([state, (probeAt ?? 0) > Date.now(), concurrency < 8]).toEqual(["open", true, true]);
    expect(client.log.filter(({ message }) => message === "circuit breaker opened")).toHaveLength(1);
  });
});
