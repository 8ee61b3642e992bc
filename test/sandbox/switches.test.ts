import { describe, expect, it } from "vitest";
import { isJsonObject } from "#model";
import type { SandboxOptions } from "#sandbox";
import { idsOf, member, openTenant, rowsOf, type Tenant } from "./tenant.ts";

const customers = (tenant: Tenant, count: number) =>
  tenant.sandbox.seed(
    "customer",
    Array.from({ length: count }, (_, at) => ({ name: `K${at}`, customerId: String(at) })),
  );

/** The places, in the order of seeding, of the customers that a page shows. */
const page = async (options: SandboxOptions, query: string) => {
  await using tenant = await openTenant({ order: "oldestFirst", ...options });
  const ids = customers(tenant, 60).map((record) => record.id);
  return idsOf(await tenant.read(`v1/customer?${query}`), "customer").map((id) => ids.indexOf(id ?? 0));
};

const byPage = (first: 0 | 1): SandboxOptions => ({ paging: { kind: "page", parameter: "seite", first } });

const create = (tenant: Tenant) => {
  const customerStatus = tenant.named("customerStatus", "Active");
  return tenant.write("POST", "v1/customer", { name: "x", customerId: "1", customerStatus });
};

describe("the brand", () => {
  it("stands in paths, wrapper keys, fields and link names; the neutral word is then unknown", async () => {
    await using tenant = await openTenant({ brand: "acme" });
    const customer = await tenant.customer();
    const made = await tenant.write("POST", "v1/acmeDocument", { customer, ticket: await tenant.ticket({ customer }) });
    expect(made.status).toBe(200);
    expect((await tenant.read("v1/svcDocument")).status).toBe(404);
    expect(idsOf(await tenant.read("v1/acmeDocument"), "acmeDocument")).toEqual([made.id]);
    const ticket = await tenant.read(
      "v1/ticket?fields=acmeDocuments,hasAcmeDocuments,acmeDocuments.documentNumber,svcDocuments",
    );
    expect(rowsOf(ticket, "ticket")).toEqual([
      { acmeDocuments: [{ id: made.id, documentNumber: expect.any(String) }], hasAcmeDocuments: true },
    ]);
    expect((await tenant.read(`v1/acmeDocument/${made.id}`)).json).toMatchObject({
      link: `${tenant.sandbox.url}/restApi/v1/acmeDocument/${made.id}`,
    });
    expect(tenant.sandbox.records("svcDocument")).toHaveLength(1);
  });
});

describe("the wrapper of lists", () => {
  it("may be one fixed key, a key per resource, or none", async () => {
    await using fixed = await openTenant({ listWrapper: { key: "result" } });
    expect(rowsOf(await fixed.read("v1/priority"), "result")).toHaveLength(3);
    await using keyed = await openTenant({ listKeys: { priority: "priorities" } });
    expect(rowsOf(await keyed.read("v1/priority"), "priorities")).toHaveLength(3);
    await using bare = await openTenant({ listWrapper: "array" });
    expect((await bare.read("v1/priority")).json).toHaveLength(3);
  });

  it("may lack the total, or tell an old one", async () => {
    await using without = await openTenant({ totalCount: "no" });
    expect(Object.keys(JSON.parse((await without.read("v1/priority")).text))).toEqual(["offset", "limit", "priority"]);
    await using stale = await openTenant({ totalCount: "stale" });
    customers(stale, 1);
    expect(member(await stale.read("v1/customer"), "totalCount")).toBe(1);
    customers(stale, 5);
    expect(member(await stale.read("v1/customer"), "totalCount")).toBe(1);
  });
});

describe("paging", () => {
  it("may count pages from 0 or from 1, under any name", async () => {
    expect(await page(byPage(1), "limit=2&seite=2")).toEqual([2, 3]);
    expect(await page(byPage(0), "limit=2&seite=2")).toEqual([4, 5]);
    expect(await page(byPage(1), "limit=2")).toEqual([0, 1]);
  });

  it("may name the offset otherwise, ignore it, or not be there at all", async () => {
    expect(await page({ paging: { kind: "offset", parameter: "start" } }, "limit=2&start=3&offset=9")).toEqual([3, 4]);
    expect(await page({ paging: { kind: "ignored" } }, "limit=2&offset=3")).toEqual([0, 1]);
    expect(await page({ paging: { kind: "none" } }, "limit=2&offset=3")).toHaveLength(60);
  });

  it("sortings may have no effect, and the order without it may be the order of changes", async () => {
    expect(await page({ sorting: false, order: "newestFirst" }, "limit=2&sortings=id%20asc")).toEqual([59, 58]);
    await using tenant = await openTenant({ order: "changedFirst" });
    const records = customers(tenant, 3);
    await tenant.write("PUT", `v1/customer/${records[0]?.id}`, { shortName: "x" });
    expect(idsOf(await tenant.read("v1/customer"), "customer")).toEqual([
      records[0]?.id,
      records[2]?.id,
      records[1]?.id,
    ]);
  });
});

describe("the answer of a create", () => {
  it("may be only the id", async () => {
    await using tenant = await openTenant({ createAnswer: "id", createStatus: 201 });
    const reply = await create(tenant);
    expect([reply.status, reply.json]).toEqual([201, { id: tenant.sandbox.records("customer")[0]?.id }]);
  });

  it("may be only a Location header", async () => {
    await using tenant = await openTenant({ createAnswer: "location" });
    const reply = await create(tenant);
    const id = tenant.sandbox.records("customer")[0]?.id;
    expect([reply.text, reply.headers.get("location")]).toEqual([
      "",
      `${tenant.sandbox.url}/restApi/v1/customer/${id}`,
    ]);
  });

  it("may be nothing", async () => {
    await using tenant = await openTenant({ createAnswer: "none" });
    const reply = await create(tenant);
    expect([reply.status, reply.text, reply.headers.get("location")]).toEqual([200, "", null]);
    expect(tenant.sandbox.records("customer")).toHaveLength(1);
  });
});

describe("single records", () => {
  it.for([
    ["404", 404, "{"],
    ["400", 400, "{"],
    ["empty", 200, ""],
    ["null", 200, "null"],
  ] as const)("that are missing may be spelled %s", async ([notFound, status, start]) => {
    await using tenant = await openTenant({ notFound });
    for (const method of ["GET", "PUT", "DELETE"]) {
      const reply = await tenant.write(method, "v1/customer/4711", method === "PUT" ? { name: "x" } : undefined);
      expect([method, reply.status, reply.text.slice(0, 4).startsWith(start)]).toEqual([method, status, true]);
      expect(isJsonObject(reply.json)).toBe(start === "{");
    }
  });

  it.for(["{resource}/id/{id}", "{resource}({id})", "{resource}?id={id}"])("may live at %s", async (recordPath) => {
    await using tenant = await openTenant({ recordPath });
    const id = await tenant.customer();
    const path = `v1/${recordPath.replace("{resource}", "customer").replace("{id}", String(id))}`;
    const fields = path.includes("?") ? "&fields=id" : "?fields=id";
    expect((await tenant.read(path + fields)).json).toEqual({ id });
    expect((await tenant.write("PUT", path, { name: "Neu" })).status).toBe(200);
    expect((await tenant.read(`v1/customer/${id}`)).status).toBe(404);
    expect(member(await tenant.read("v1/customer"), "totalCount")).toBe(1);
    expect((await tenant.write("DELETE", path)).status).toBe(204);
  });

  it("may show links as objects with id and name", async () => {
    await using tenant = await openTenant({ links: "object" });
    const customer = await tenant.customer({ name: "Huber" });
    const contact = await tenant.write("POST", "v1/customerContact?fields=customer", { name: "x", customer });
    expect(member(contact, "customer")).toEqual({ id: customer, name: "Huber" });
  });

  it("a resource may be served under another path too", async () => {
    await using tenant = await openTenant({ paths: { customer: "kunde" } });
    expect(rowsOf(await tenant.read("v1/kunde"), "kunde")).toEqual([]);
    expect((await tenant.read("v1/customer")).status).toBe(200);
  });
});
