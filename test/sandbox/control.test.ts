import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_TOKEN } from "#sandbox";
import { openTenant, replyOf, type Reply, type Tenant } from "./tenant.ts";

describe("the ledger", () => {
  it("holds every request with its end, and counts beyond what it remembers", async () => {
    await using tenant = await openTenant({ ledgerSize: 5 });
    for (let turn = 0; turn < 8; turn++) await tenant.read("v1/tag");
    await tenant.read("v1/customer/4711");
    const { ledger } = tenant.sandbox;
    expect(ledger.requests()).toHaveLength(5);
    expect(ledger.requests().at(-1)).toMatchObject({
      number: 9,
      method: "GET",
      url: "/restApi/v1/customer/4711",
      resource: "customer",
      username: "sync",
      status: 404,
      error: "customer 4711 does not exist",
    });
    expect([ledger.count(), ledger.count({ resource: "tag" }), ledger.count({ status: 404 })]).toEqual([9, 8, 1]);
  });

  it("holds every write with what was sent and dropped, and each record's history", async () => {
    await using tenant = await openTenant();
    const id = await tenant.customer({ name: "eins", junk: 1 });
    await tenant.write("PUT", `v1/customer/${id}`, { name: "zwei" });
    await tenant.write("PUT", `v1/customer/${id}`, { name: "" });
    await tenant.write("DELETE", `v1/customer/${id}`);
    const history = tenant.sandbox.ledger.writes({ resource: "customer", id });
    expect(history).toMatchObject([
      {
        action: "create",
        username: "sync",
        dropped: ["junk"],
        sent: { name: "eins", junk: 1 },
        record: { name: "eins" },
      },
      { action: "edit", sent: { name: "zwei" }, record: { name: "zwei" } },
      { action: "delete", record: undefined },
    ]);
    expect(history.map((write) => write.request)).toEqual([1, 2, 4]);
  });

  it("tells of the next request of a kind", async () => {
    await using tenant = await openTenant();
    const heard = tenant.sandbox.ledger.next({ method: "GET", resource: "priority" });
    await tenant.read("v1/tag");
    await tenant.read("v1/priority");
    expect(await heard).toMatchObject({ number: 2, resource: "priority" });
  });
});

describe("the control server", () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await openTenant();
  });
  afterAll(() => tenant[Symbol.asyncDispose]());

  const control = async (method: string, path: string, headers: Record<string, string> = {}): Promise<Reply> => {
    const address = `${tenant.sandbox.controlUrl}/__sandbox/${path}`;
    const response = await fetch(address, { method, redirect: "manual", headers });
    return replyOf(response.status, response.headers, await response.text());
  };

  const press = async (action: string) => {
    const { status, headers } = await control("POST", action);
    return `${status} ${headers.get("location")}`;
  };

  it("listens on a port of its own; the service knows nothing of it", async () => {
    expect(new URL(tenant.sandbox.controlUrl).port).not.toBe(new URL(tenant.sandbox.url).port);
    const response = await fetch(`${tenant.sandbox.url}/__sandbox/`, {
      headers: { authorization: `Bearer ${DEFAULT_TOKEN}` },
    });
    expect(response.status).toBe(404);
  });

  it("has a page whose buttons clear the faults, revoke tokens and reset, and lead back to it", async () => {
    const { sandbox } = tenant;
    await tenant.customer();
    sandbox.faults.add({ kind: "tooMany" });
    await tenant.write("POST", "login", { username: "sync", password: "sandbox" });
    expect([await press("faults-clear"), sandbox.faults.list()]).toEqual(["303 /__sandbox/", []]);
    expect([await press("tokens-revoke"), sandbox.tokens.list().length]).toEqual(["303 /__sandbox/", 1]);
    expect([await press("reset"), sandbox.records("customer"), sandbox.ledger.count()]).toEqual([
      "303 /__sandbox/",
      [],
      0,
    ]);
    expect(sandbox.records("priority")).toHaveLength(3);
  });

  it("refuses what a page of another site sends", async () => {
    expect((await control("POST", "reset", { origin: "https://evil.example" })).status).toBe(403);
    expect((await control("POST", "reset", { origin: tenant.sandbox.controlUrl })).status).toBe(303);
  });

  it("shows one page with records, ledger and faults, without any asset from elsewhere", async () => {
    const id = await tenant.customer({ name: `<script>alert("x")</script> & Söhne` });
    tenant.sandbox.faults.add({ kind: "latency", ms: 1 });
    for (const query of ["", "?resource=customer", `?resource=customer&id=${id}`]) {
      const page = await control("GET", query);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(page.text).toContain("&lt;script&gt;alert(");
      expect(page.text).toContain("/restApi/v1/customer");
      expect(page.text).toContain("latency");
      expect(page.text).not.toMatch(/<script|<link|<img|src=|@import|url\(/);
      expect(page.text).not.toContain(DEFAULT_TOKEN);
    }
    const root = await fetch(tenant.sandbox.controlUrl, { redirect: "manual" });
    expect([root.status, root.headers.get("location")]).toEqual([302, "/__sandbox/"]);
  });
});
