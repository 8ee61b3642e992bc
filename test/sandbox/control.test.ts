import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "#model";
import { DEFAULT_TOKEN } from "#sandbox";
import { member, openTenant, replyOf, type Reply, type Tenant } from "./tenant.ts";

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
    const history = tenant.sandbox.ledger.history("customer", id);
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
    expect(tenant.sandbox.ledger.writes({ resource: "customer" })).toEqual(history);
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

  const control = async (
    method: string,
    path: string,
    body?: Json,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const text = body === undefined ? null : JSON.stringify(body);
    const address = `${tenant.sandbox.controlUrl}/__sandbox/${path}`;
    const response = await fetch(address, { method, body: text, redirect: "manual", headers });
    return replyOf(response.status, response.headers, await response.text());
  };

  it("listens on a port of its own; the service knows nothing of it", async () => {
    expect(new URL(tenant.sandbox.controlUrl).port).not.toBe(new URL(tenant.sandbox.url).port);
    const response = await fetch(`${tenant.sandbox.url}/__sandbox/`, {
      headers: { authorization: `Bearer ${DEFAULT_TOKEN}` },
    });
    expect(response.status).toBe(404);
  });

  it("arms, lists and clears faults", async () => {
    const armed = await control("POST", "faults", { kind: "tooMany", resource: "tag", count: 1 });
    expect((await tenant.read("v1/tag")).status).toBe(429);
    expect((await control("GET", "faults")).json).toEqual([
      { id: armed.id, fault: { kind: "tooMany", resource: "tag", count: 1 }, matched: 1, hits: 1 },
    ]);
    expect((await control("DELETE", `faults/${armed.id}`)).json).toEqual([]);
    const wrong = await control("POST", "faults", { kind: "earthquake" });
    expect([wrong.status, member(wrong, "code")]).toEqual([400, "E_SANDBOX_FAULT"]);
    expect((await control("POST", "faults", "x")).status).toBe(400);
  });

  it("shows requests, writes, counts, records and histories as JSON", async () => {
    const id = await tenant.customer({ name: "Sichtbar" });
    expect((await control("GET", "requests?resource=customer&limit=1")).json).toMatchObject([
      { method: "POST", status: 200 },
    ]);
    expect((await control("GET", `writes?resource=customer&id=${id}&action=create`)).json).toMatchObject([
      { id, action: "create" },
    ]);
    expect(member(await control("GET", "counts?resource=customer"), "requests")).toBe(1);
    expect(member(await control("GET", "records"), "customer")).toBe(1);
    expect((await control("GET", "records/customer")).json).toMatchObject([{ id, name: "Sichtbar" }]);
    expect((await control("GET", `records/customer/${id}`)).json).toMatchObject({ id, name: "Sichtbar" });
    expect((await control("GET", `records/customer/${id}/history`)).json).toMatchObject([{ action: "create" }]);
    expect((await control("GET", "records/nothing")).status).toBe(400);
    expect((await control("GET", "records/customer/4711")).status).toBe(404);
    expect((await control("GET", "nothing")).status).toBe(404);
    expect((await control("GET", "%E0%A4%A")).status).toBe(400);
  });

  it("removes a record, revokes tokens and lists them without showing them", async () => {
    const id = await tenant.customer();
    await control("DELETE", `records/customer/${id}`);
    expect(tenant.sandbox.record("customer", id)).toBeUndefined();
    await tenant.write("POST", "login", { username: "sync", password: "sandbox" });
    const tokens = await control("GET", "tokens");
    expect(tokens.json).toMatchObject([
      { username: "sync", kind: "static" },
      { username: "sync", kind: "login" },
    ]);
    expect(tokens.text).not.toContain(DEFAULT_TOKEN);
    expect((await control("POST", "tokens-revoke")).json).toEqual({ revoked: 1 });
  });

  it("resets to the reference data", async () => {
    await tenant.customer();
    tenant.sandbox.faults.add({ kind: "tooMany" });
    expect((await control("POST", "reset")).json).toEqual({ reset: true });
    expect([tenant.sandbox.records("customer").length, tenant.sandbox.faults.list().length]).toEqual([0, 0]);
    expect([tenant.sandbox.records("priority").length, tenant.sandbox.ledger.count()]).toEqual([3, 0]);
  });

  it("refuses what a page of another site sends", async () => {
    expect((await control("POST", "reset", undefined, { origin: "https://evil.example" })).status).toBe(403);
    expect((await control("POST", "reset", undefined, { origin: tenant.sandbox.controlUrl })).status).toBe(200);
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

  it("its buttons lead back to the page", async () => {
    const reply = await control("POST", "faults-clear", undefined, {
      "content-type": "application/x-www-form-urlencoded",
    });
    expect([reply.status, reply.headers.get("location")]).toEqual([303, "/__sandbox/"]);
    expect(tenant.sandbox.faults.list()).toEqual([]);
  });
});
