import { describe, expect, it } from "vitest";
import { DEFAULT_TOKEN } from "#sandbox";
import { setStage, texts, until } from "./stage.ts";

/** Less patient than in life, where a long outage is probed once a minute. */
const breaker = { failures: 10, pauseMs: 10, pauseMaxMs: 30 };
const PROBES = 10;

describe("a service that is down for hours", () => {
  it("costs probes and no attempts, parks nothing, and then takes the backlog, live changes first", async () => {
    await using stage = await setStage({
      rows: { customers: 300 },
      environment: { RETRY_ATTEMPTS: "3", RETRY_BASE_SECONDS: "0.5" },
    });
    const { erp, sandbox } = stage;
    sandbox.faults.add({ kind: "latency", ms: 10, method: "POST" });
    await using running = await stage.start({ breaker });
    const { store, log } = running;
    await until("the load is under way", () => sandbox.ledger.count({ method: "POST" }) >= 40);
    const cut = sandbox.faults.add({ kind: "cut", when: "before" });
    await until("the breaker has opened", () => log.lines("circuit breaker opened").length > 0);
    // Records that are there already: what a probe may have created must be settled first, and that takes its time.
    const liveKeys = texts(sandbox, "customer", "customerId").slice(0, 2);
    for (const key of liveKeys) erp.change("customers", [key], { name1: "Live GmbH", name2: null });
    const probed = sandbox.ledger.count();
    await until("it was probed often", () => sandbox.ledger.count() >= probed + PROBES);
    // Who cannot reach the service can still serve the page that says so, and poll.
    const ready = await fetch(`${running.daemon.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { ready: true, parts: { polls: "ok" } }]);

    const views = await store.records({ stream: "customers", limit: 1_000 });
    expect(views.filter(({ state }) => state === "parked" || state === "uncertain")).toEqual([]);
    expect(views.reduce((sum, { attempts }) => sum + attempts, 0)).toBeLessThanOrEqual(breaker.failures);
    // From here on the relay alone says who goes first: what it had woken before the cut is back, and both changes are due.
    await until("nothing is under way and the live changes are due", async () => {
      const lives = await Promise.all(liveKeys.map((key) => store.record({ stream: "customers", key })));
      const areDue = lives.every(
        (live) => live!.row["name1"] === "Live GmbH" && (live!.dueAt ?? Infinity) <= Date.now(),
      );
      return areDue && running.daemon.relay.outstanding === 0;
    });
    const before = sandbox.ledger.writes({ resource: "customer" }).length;
    const due = views.filter(({ state }) => state !== "applied" && state !== "deleted").length;
    expect(due).toBeGreaterThan(100);
    sandbox.faults.clear(cut);
    await until("all are there", async () => {
      const counts = (await store.counts()).get("customers")!;
      return (counts.applied ?? 0) + (counts.deleted ?? 0) === 300;
    });
    const after = sandbox.ledger.writes({ resource: "customer" }).slice(before);
    // By record: a live change that a probe tried may be sent once more, because what was cut may still arrive behind it.
    const places = new Map<number, number>();
    for (const [place, { action, id }] of after.entries())
      if (action === "edit" && !places.has(id)) places.set(id, place);
    expect(places.size).toBe(2);
    // It is read first, while creates pass it; in the order of the backlog it would be the last.
    expect(Math.max(...places.values())).toBeLessThan(due / 4);
    const keys = texts(sandbox, "customer", "customerId");
    expect(new Set(keys).size).toBe(keys.length);
    expect(await store.records({ states: ["parked", "uncertain"], limit: 1 })).toEqual([]);
    expect(log.lines("service answered again")).toHaveLength(1);
  });
});

describe("a service that failed while nothing was to be sent", () => {
  it("is asked until it answers again, and /readyz tells", async () => {
    await using stage = await setStage({ rows: { customers: 1 } });
    await using running = await stage.start({ breaker });
    const { store, service } = running.daemon.parts;
    await until("the record is there", async () => (await store.counts()).get("customers")?.applied === 1);
    const cut = stage.sandbox.faults.add({ kind: "cut", when: "before" });
    const { signal } = new AbortController();
    while (service.state().state === "closed") await service.ping(signal).catch(() => undefined);
    stage.sandbox.faults.clear(cut);
    await until("the breaker has closed", () => service.state().state === "closed");
    const ready = await fetch(`${running.daemon.url}/readyz`);
    expect(await ready.json()).toMatchObject({ parts: { service: "ok" } });
    expect(stage.sandbox.ledger.writes({ resource: "customer" })).toHaveLength(1);
  });
});

describe("a service that takes connections and never answers", () => {
  it("is told by /readyz after two time-outs, also while a probe waits for its answer", async () => {
    await using stage = await setStage({
      rows: { customers: 1 },
      environment: { SERVICE_ANSWER_TIMEOUT_SECONDS: "2" },
    });
    stage.sandbox.faults.add({ kind: "latency", ms: 3_600_000 });
    await using running = await stage.start({ breaker });
    await until("a probe waits", () => running.daemon.parts.service.state().state === "half-open");
    const ready = await fetch(`${running.daemon.url}/readyz`);
    expect(await ready.json()).toMatchObject({ parts: { service: { code: "E_SERVICE_DOWN" } } });
    expect(stage.sandbox.ledger.count()).toBeLessThan(breaker.failures);
  });
});

describe("a service that refuses the login", () => {
  it("is named by status, with what to do, until svcsync has started again", async () => {
    await using stage = await setStage({ rows: { customers: 1 }, environment: { SERVICE_TOKEN: "wrong" } });
    const ended = await stage.command("sync");
    expect([ended.code, ended.stderr]).toEqual([
      70,
      expect.stringMatching(/"remedy":"Correct SERVICE_TOKEN[^\n]+"daemon could not continue"/),
    ]);
    const { code, stdout } = await stage.command("status");
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /^svcsync stopped \d+ s ago, because it could not continue: .* \(E_SERVICE_LOGIN\)\n {2}-> Correct SERVICE_TOKEN/m,
      ),
    ]);
    const stopped = {
      at: expect.stringMatching(/^2.*Z$/),
      code: "E_SERVICE_LOGIN",
      message: expect.stringContaining("token"),
      remedy: expect.stringContaining("SERVICE_TOKEN"),
    };
    expect(JSON.parse((await stage.command("status", "--json")).stdout)).toMatchObject({ stopped });

    await stage.set({ SERVICE_TOKEN: DEFAULT_TOKEN });
    expect((await stage.command("sync")).code).toBe(0);
    expect(await stage.command("status")).toMatchObject({ code: 0, stdout: expect.not.stringContaining("stopped") });
  });
});

describe("a SERVICE_URL that is not that of the store's service", () => {
  it("is named by status after svcsync refused it", async () => {
    await using stage = await setStage({ rows: { customers: 1 } });
    expect((await stage.command("sync")).code).toBe(0);
    await stage.set({ SERVICE_URL: stage.sandbox.url.replace("127.0.0.1", "localhost") });
    expect((await stage.command("sync")).code).toBe(70);
    const { code, stdout } = await stage.command("status");
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^svcsync stopped .* \(E_SERVICE_OTHER\)\n {2}-> Correct SERVICE_URL/m),
    ]);
  });
});
