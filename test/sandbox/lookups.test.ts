import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import type { SandboxOptions } from "#sandbox";
import { member, openTenant, textOf, type Tenant } from "./tenant.ts";

const guess = (tenant: Tenant, resource: string, data: JsonObject, query = "") =>
  tenant.write("POST", `v1/${resource}/guess${query}`, [{ eid: "k", data }]);

describe("guess", () => {
  it("answers one row per exact match and a row without id where nothing matched", async () => {
    await using tenant = await openTenant();
    const id = await tenant.customer({ customerId: "10001" });
    const reply = await tenant.write("POST", "v1/customer/guess", [
      { eid: "a", data: { customerId: "10001" } },
      { eid: 7, data: { customerId: "1000" } },
      { eid: "c", data: {} },
    ]);
    expect(reply.json).toEqual([
      { eid: "a", id, itemData: null },
      { eid: 7, id: null, itemData: null },
      { eid: "c", id: null, itemData: null },
    ]);
  });

  it("with similarity tells near ones too, with their data, the nearest first", async () => {
    await using tenant = await openTenant();
    const exact = await tenant.customer({ name: "Huber Haustechnik" });
    const near = await tenant.customer({ name: "Huber Haustechnik KG" });
    await tenant.customer({ name: "Zzz" });
    const reply = await guess(tenant, "customer", { name: "Huber Haustechnik" }, "?similarity=0.5&fields=name");
    expect(reply.json).toEqual([
      { eid: "k", id: exact, itemData: { name: "Huber Haustechnik" } },
      { eid: "k", id: near, itemData: { name: "Huber Haustechnik KG" } },
    ]);
    expect((await guess(tenant, "customer", { name: "x" }, "?similarity=2")).status).toBe(400);
  });

  it("wants an array and its required keys", async () => {
    await using tenant = await openTenant();
    expect((await tenant.write("POST", "v1/customer/guess", { eid: "a", data: {} })).status).toBe(400);
    expect((await guess(tenant, "customerContact", { email: "x@example.com" })).status).toBe(400);
  });

  it("finds a contact by customer and email together", async () => {
    await using tenant = await openTenant();
    const [one, two] = [await tenant.customer(), await tenant.customer()];
    const contact = async (customer: number) =>
      (await tenant.write("POST", "v1/customerContact", { name: "n", customer, email: "same@example.com" })).id;
    await contact(one);
    const wanted = await contact(two);
    expect((await guess(tenant, "customerContact", { customer: two, email: "same@example.com" })).json).toEqual([
      { eid: "k", id: wanted, itemData: null },
    ]);
  });

  it("does not exist for tickets and service records, and finds no tag ever", async () => {
    await using tenant = await openTenant();
    expect((await guess(tenant, "ticket", { name: "x" })).status).toBe(404);
    expect((await guess(tenant, "svcDocument", { name: "x" })).status).toBe(404);
    expect((await guess(tenant, "tag", { name: "VIP" })).json).toEqual([{ eid: "k", id: null, itemData: null }]);
    expect((await guess(tenant, "ticketStatus", { name: "Open" })).json).toMatchObject([
      { id: tenant.named("ticketStatus", "Open") },
    ]);
  });

  it.for<[string, SandboxOptions, number]>([
    ["all exact hits by default", {}, 2],
    ["the first alone where the tenant does so", { guessHits: "first" }, 1],
    ["hits in another case where the tenant does so", { guessCase: "insensitive" }, 3],
  ])("tells %s", async ([, options, hits]) => {
    await using tenant = await openTenant(options);
    for (const name of ["Huber", "Huber", "HUBER"]) await tenant.customer({ name });
    const reply = await guess(tenant, "customer", { name: "Huber" });
    expect(reply.json).toHaveLength(hits);
  });

  it("several keys must all hold, or any where the tenant does so", async () => {
    for (const guessCombines of ["and", "or"] as const) {
      await using tenant = await openTenant({ guessCombines });
      const id = await tenant.customer({ name: "Huber", customerId: "1" });
      const reply = await guess(tenant, "customer", { name: "Huber", customerId: "2" });
      expect(reply.json).toMatchObject([{ id: guessCombines === "and" ? null : id }]);
    }
  });

  it("is 404 where the tenant has none", async () => {
    await using tenant = await openTenant({ guess: false });
    expect((await guess(tenant, "customer", { customerId: "1" })).status).toBe(404);
  });
});

describe("search", () => {
  it("answers arrays of ids by kind", async () => {
    await using tenant = await openTenant();
    const customer = await tenant.customer({ name: "Öttl Aufzüge" });
    const ticket = await tenant.ticket({ erpReferenceNumber: "öttl-7" });
    const reply = await tenant.read(`v1/search/${encodeURIComponent("öttl")}`);
    expect(reply.json).toMatchObject({
      customers: [customer],
      tickets: [ticket],
      svcDocuments: [],
      users: [tenant.named("user", "Sabine Öttl")],
    });
  });

  it("does not cover erpReferenceNumber of service records", async () => {
    await using tenant = await openTenant();
    await tenant.write("POST", "v1/svcDocument", { customer: await tenant.customer(), erpReferenceNumber: "A-1" });
    expect(member(await tenant.read("v1/search/A-1"), "svcDocuments")).toEqual([]);
  });

  it("lags where the tenant's index does: new records are missing, changed ones are found as they were", async () => {
    const time = { at: 1_000_000 };
    await using tenant = await openTenant({ searchLagMs: 1_000, clock: { now: () => time.at } });
    const id = await tenant.customer({ name: "Before" });
    const found = async (term: string) => member(await tenant.read(`v1/search/${term}`), "customers");
    expect(await found("before")).toEqual([]);
    time.at += 1_000;
    expect(await found("before")).toEqual([id]);
    await tenant.write("PUT", `v1/customer/${id}`, { name: "After" });
    expect([await found("before"), await found("after")]).toEqual([[id], []]);
    time.at += 1_000;
    expect([await found("before"), await found("after")]).toEqual([[], [id]]);
  });

  it("is 404, and its filter ignored, where the tenant has none", async () => {
    await using tenant = await openTenant({ search: false });
    await tenant.customer();
    expect((await tenant.read("v1/search/x")).status).toBe(404);
    expect(member(await tenant.read("v1/customer?search=zzz"), "totalCount")).toBe(1);
  });
});

describe("find by number", () => {
  it("reads a ticket and a service record by their own numbers, and nothing by external id", async () => {
    await using tenant = await openTenant();
    const ticket = await tenant.ticket({ externalReferenceNumber: "X-1" });
    const number = textOf(tenant.sandbox.record("ticket", ticket)?.["ticketNumber"]);
    expect((await tenant.read(`v1/ticket/findByNumber/${number}?fields=id`)).json).toEqual({ id: ticket });
    const document = (
      await tenant.write("POST", "v1/svcDocument", {
        customer: await tenant.customer(),
        externalReferenceNumber: "X-1",
      })
    ).id;
    const documentNumber = textOf(tenant.sandbox.record("svcDocument", document)?.["documentNumber"]);
    expect(documentNumber).toMatch(/^#\d{8}-\d{5,}$/);
    expect(
      (await tenant.read(`v1/svcDocument/findByNumber/${encodeURIComponent(documentNumber)}?fields=id`)).json,
    ).toEqual({ id: document });
    expect((await tenant.read("v1/ticket/findByNumber/T999999")).status).toBe(404);
    expect((await tenant.read("v1/svcDocument/findByExternalId/X-1")).status).toBe(404);
  });
});
