import { performance } from "node:perf_hooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Fault } from "#sandbox";
import { member, openTenant, rowsOf, textOf, type Reply, type Tenant } from "./tenant.ts";

describe("faults on demand", () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await openTenant();
  });
  afterAll(() => tenant[Symbol.asyncDispose]());
  beforeEach(() => tenant.sandbox.reset());

  const arm = (fault: Fault) => tenant.sandbox.faults.add(fault);
  const create = (): Promise<Reply> =>
    tenant.write("POST", "v1/customer", {
      name: "x",
      customerId: "1",
      customerStatus: tenant.named("customerStatus", "Active"),
    });
  const created = () => tenant.sandbox.records("customer").length;
  const statuses = async (count: number) => {
    const found: number[] = [];
    for (let turn = 0; turn < count; turn++) found.push((await tenant.read("v1/tag")).status);
    return found;
  };

  const strikes = async (seed: number) => {
    await tenant.sandbox.reset();
    arm({ kind: "tooMany", probability: 0.5, seed });
    return statuses(40);
  };

  const customers = () => tenant.read("v1/customer?fields=id,modified");

  it.each([
    ["noBody", 200, ""],
    ["null", 200, "null"],
    ["array", 200, "[]"],
    ["noContent", 204, ""],
    ["refusal", 200, '{"success":false,"errors":[]}'],
  ] as const)("an empty list as %s, whatever there is", async (shape, status, text) => {
    await create();
    arm({ kind: "emptyList", shape, resource: "customer", count: 1 });
    const empty = await customers();
    expect([empty.status, empty.text]).toEqual([status, text]);
    expect((await customers()).json).toMatchObject({ totalCount: 1 });
  });

  it("an empty list in its own shape, and single reads as always", async () => {
    await create();
    arm({ kind: "emptyList", shape: "list" });
    const [record] = tenant.sandbox.records("customer");
    expect((await customers()).json).toMatchObject({ totalCount: 0, customer: [] });
    expect((await tenant.read(`v1/customer/${record!.id}`)).json).toMatchObject({ id: record!.id });
  });

  it("a stamp of the future and an id that is none, in the answer alone", async () => {
    await create();
    arm({ kind: "futureStamp", days: 10, count: 1 });
    const [stamped] = rowsOf(await customers(), "customer");
    expect(Date.parse(textOf(stamped?.["modified"]))).toBeGreaterThan(Date.now() + 9 * 86_400_000);
    arm({ kind: "oddId", id: "9007199254740993", count: 1 });
    expect((await customers()).text).toContain('"id":9007199254740993');
    expect(Number.isSafeInteger(tenant.sandbox.records("customer")[0]!.id)).toBe(true);
  });

  it("lists that lag do not show what was just created", async () => {
    await create();
    arm({ kind: "staleList", lagMs: 60_000, count: 1 });
    expect((await customers()).json).toMatchObject({ totalCount: 0, customer: [] });
    expect((await customers()).json).toMatchObject({ totalCount: 1 });
  });

  it("latency holds an answer back, with jitter on top", async () => {
    arm({ kind: "latency", ms: 60, jitterMs: 20 });
    const started = performance.now();
    expect((await create()).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(58);
  });

  it("latency after the commit: the record is there before the answer", async () => {
    arm({ kind: "latency", ms: 60_000, when: "after", method: "POST" });
    const waiting = create().catch(() => "cut");
    await expect.poll(created).toBe(1);
    await tenant.sandbox[Symbol.asyncDispose]();
    expect(await waiting).toBe("cut");
    tenant = await openTenant();
  });

  it("latency during the request: one whose token has died meanwhile is carried out", async () => {
    const login = await tenant.write("POST", "login", { username: "sync", password: "sandbox" }, { token: null });
    const token = textOf(member(login, "access_token"));
    const fault = arm({ kind: "latency", ms: 100, when: "during", count: 1 });
    const late = tenant.write("POST", "v1/customer", { name: "late" }, { token });
    await expect.poll(() => tenant.sandbox.faults.list().find(({ id }) => id === fault)?.hits).toBe(1);
    tenant.sandbox.tokens.revoke();
    expect((await late).status).not.toBe(401);
    expect((await tenant.read("v1/tag", { token })).status).toBe(401);
  });

  it("a rate limit lets so many requests of a second pass, and no more", async () => {
    arm({ kind: "rateLimit", perSecond: 3, retryAfterSeconds: 1 });
    const found = await statuses(12);
    expect(found.slice(0, 3)).toEqual([200, 200, 200]);
    expect(found.filter((status) => status === 429).length).toBeGreaterThan(0);
  });

  it("a quota lets so many requests of a span pass, and its Retry-After says what is left of the span", async () => {
    const seconds = 864_000_000;
    arm({ kind: "quota", requests: 3, seconds });
    expect(await statuses(5)).toEqual([200, 200, 200, 429, 429]);
    const left = Number((await create()).headers.get("retry-after"));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(seconds);
  });

  it("a redirect comes after the commit, or instead of it", async () => {
    arm({ kind: "redirect", count: 1 });
    expect([(await create()).status, created()]).toEqual([302, 1]);
    arm({ kind: "redirect", status: 308, when: "before", count: 1 });
    expect([(await create()).status, created()]).toEqual([308, 1]);
  });

  it("a gateway's refusal is an HTML page, and nothing is done", async () => {
    arm({ kind: "gateway404", count: 1 });
    const missing = await create();
    expect([missing.status, missing.headers.get("content-type"), created()]).toEqual([
      404,
      "text/html; charset=utf-8",
      0,
    ]);
    arm({ kind: "gateway404", status: 403, count: 1 });
    expect((await create()).status).toBe(403);
  });

  it("429 does nothing and tells Retry-After in seconds or as a date, or not", async () => {
    arm({ kind: "tooMany", retryAfterSeconds: 3, count: 1 });
    const seconds = await create();
    expect([seconds.status, seconds.headers.get("retry-after")]).toEqual([429, "3"]);
    arm({ kind: "tooMany", retryAfterSeconds: 60, retryAfterForm: "date", count: 1 });
    const date = (await create()).headers.get("retry-after") ?? "";
    const aheadMs = Date.parse(date) - Date.now();
    expect(date).toMatch(/GMT$/);
    expect(aheadMs).toBeGreaterThan(50_000);
    expect(aheadMs).toBeLessThanOrEqual(60_000);
    arm({ kind: "tooMany", count: 1 });
    expect((await create()).headers.get("retry-after")).toBeNull();
    expect(created()).toBe(0);
  });

  it("5xx before the commit does nothing, after the commit the record exists", async () => {
    arm({ kind: "serverError", status: 503, count: 1 });
    const before = await create();
    expect([before.status, member(before, "status"), created()]).toEqual([503, 503, 0]);
    arm({ kind: "serverError", when: "after", count: 1 });
    expect([(await create()).status, created()]).toEqual([500, 1]);
  });

  it("5xx during the commit: the client hears it first, the record comes later", async () => {
    arm({ kind: "serverError", status: 504, when: "during", commitDelayMs: 100, count: 1 });
    expect([(await create()).status, created()]).toEqual([504, 0]);
    await expect.poll(created).toBe(1);
  });

  it("a connection is cut before, during or after the commit", async () => {
    arm({ kind: "cut", when: "before", method: "POST", count: 1 });
    await expect(create()).rejects.toThrow("fetch failed");
    expect(created()).toBe(0);
    arm({ kind: "cut", when: "after", method: "POST", count: 1 });
    await expect(create()).rejects.toThrow("fetch failed");
    expect(created()).toBe(1);
    arm({ kind: "cut", when: "during", commitDelayMs: 100, method: "POST", count: 1 });
    await expect(create()).rejects.toThrow("fetch failed");
    expect(created()).toBe(1);
    await expect.poll(created).toBe(2);
    expect(tenant.sandbox.ledger.requests({ status: 0 }).map((entry) => entry.error)).toEqual([
      "cut before the commit",
      "cut after the commit",
      "cut during the commit",
    ]);
  });

  it("a connection is cut in the middle of the body, after the commit", async () => {
    arm({ kind: "cut", when: "midBody", method: "POST", count: 1 });
    await expect(create()).rejects.toThrow("terminated");
    expect(created()).toBe(1);
  });

  it("a body arrives slowly, and whole", async () => {
    arm({ kind: "slowBody", ms: 80 });
    const started = performance.now();
    const reply = await create();
    expect(performance.now() - started).toBeGreaterThanOrEqual(75);
    expect(reply.json).toMatchObject({ id: tenant.sandbox.records("customer")[0]?.id });
  });

  it("JSON is broken under status 200, after the commit", async () => {
    arm({ kind: "brokenJson" });
    const reply = await create();
    expect([reply.status, reply.headers.get("content-type"), reply.json]).toEqual([
      200,
      "application/json; charset=utf-8",
      undefined,
    ]);
    expect([reply.text.startsWith("{"), created()]).toEqual([true, 1]);
  });

  it("an error is an HTML page", async () => {
    arm({ kind: "serverError", html: true });
    const reply = await create();
    expect([reply.status, reply.headers.get("content-type")]).toEqual([502, "text/html; charset=utf-8"]);
    expect(reply.text).toContain("<html>");
  });

  it("a token dies every n requests: one 401 per death, a new login works", async () => {
    const login = async () => {
      const reply = await tenant.write("POST", "login", { username: "sync", password: "sandbox" }, { token: null });
      return textOf(member(reply, "access_token"));
    };
    let token = await login();
    arm({ kind: "revokeTokens", every: 5 });
    const found: number[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const { status } = await tenant.read("v1/tag", { token });
      found.push(status);
      if (status === 401) token = await login();
    }
    expect(found).toEqual([200, 200, 200, 200, 401, 200, 200, 200, 200, 401, 200, 200]);
    expect((await tenant.read("v1/tag")).status).toBe(200);
  });

  it("a record vanishes as if somebody else had deleted it", async () => {
    const id = await tenant.customer();
    arm({ kind: "vanish", method: "PUT", count: 1 });
    expect((await tenant.write("PUT", `v1/customer/${id}`, { name: "y" })).status).toBe(404);
    expect((await tenant.read(`v1/customer/${id}`)).status).toBe(404);
    expect(tenant.sandbox.ledger.writes({ resource: "customer", id }).map((write) => write.action)).toEqual([
      "create",
      "vanish",
    ]);
  });

  it("faults are aimed by resource, method, path and count", async () => {
    arm({ kind: "tooMany", resource: "priority", method: "GET" });
    expect(await statuses(1)).toEqual([200]);
    expect((await tenant.read("v1/priority")).status).toBe(429);
    expect((await tenant.write("POST", "v1/priority", { name: "x" })).status).toBe(200);
    arm({ kind: "tooMany", path: "/restApi/v1/tag?limit=*", count: 2 });
    expect(await statuses(1)).toEqual([200]);
    const limited = async () => (await tenant.read("v1/tag?limit=1")).status;
    expect([await limited(), await limited(), await limited()]).toEqual([429, 429, 200]);
  });

  it("faults strike every n-th request after the first ones", async () => {
    arm({ kind: "tooMany", skip: 1, every: 3 });
    expect(await statuses(8)).toEqual([200, 200, 200, 429, 200, 200, 429, 200]);
  });

  it("faults strike by chance, and the same seed strikes the same requests", async () => {
    const first = await strikes(7);
    expect(await strikes(7)).toEqual(first);
    expect(await strikes(8)).not.toEqual(first);
    const struck = first.filter((status) => status === 429).length;
    expect(struck).toBeGreaterThan(8);
    expect(struck).toBeLessThan(32);
  });

  it("several faults strike together, of those that end a request the first", async () => {
    arm({ kind: "latency", ms: 40 });
    arm({ kind: "tooMany", count: 1 });
    arm({ kind: "serverError" });
    const started = performance.now();
    expect(await statuses(2)).toEqual([429, 500]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(75);
    expect(
      tenant.sandbox.ledger
        .requests()
        .slice(-2)
        .map((entry) => entry.faults),
    ).toEqual([
      ["latency", "tooMany"],
      ["latency", "serverError"],
    ]);
    expect(tenant.sandbox.faults.list().map(({ matched, hits }) => [matched, hits])).toEqual([
      [2, 2],
      [2, 1],
      [2, 1],
    ]);
  });

  it("requests of nobody are not struck", async () => {
    arm({ kind: "tooMany" });
    expect((await tenant.read("v1/tag", { token: "wrong" })).status).toBe(401);
  });

  it("a login can be struck too", async () => {
    arm({ kind: "serverError", resource: "login" });
    expect(
      (await tenant.write("POST", "login", { username: "sync", password: "sandbox" }, { token: null })).status,
    ).toBe(500);
    expect(await statuses(1)).toEqual([200]);
  });

  it("options arm faults from the first request on", async () => {
    await using other = await openTenant({ faults: [{ kind: "tooMany", count: 1 }] });
    expect([(await other.read("v1/tag")).status, (await other.read("v1/tag")).status]).toEqual([429, 200]);
  });

  it("a fault that is not understood is refused by name", () => {
    expect(() => arm({ kind: "tooMany", every: 0 })).toThrow(
      expect.objectContaining({ code: "E_SANDBOX_FAULT", message: expect.stringContaining("every") }),
    );
    expect(tenant.sandbox.faults.list()).toEqual([]);
  });
});
