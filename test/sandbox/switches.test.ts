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
  it("stands in paths, wrapper keys, fields, filters and link names; the neutral word is then unknown", async () => {
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
    expect(member(await tenant.read("v1/search/x"), "acmeDocuments")).toEqual([]);
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

  it("a limit above 50 may be honoured or refused", async () => {
    expect(await page({ overLimit: "honoured" }, "limit=60")).toHaveLength(60);
    await using tenant = await openTenant({ overLimit: "refused" });
    expect((await tenant.read("v1/customer?limit=51")).status).toBe(400);
    expect((await tenant.read("v1/customer?limit=50")).status).toBe(200);
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

  it("filters may be ignored, all or by name", async () => {
    await using all = await openTenant({ ignoredFilters: "all" });
    customers(all, 3);
    expect(member(await all.read("v1/customer?ids=-1&limit=0"), "totalCount")).toBe(3);
    await using one = await openTenant({ ignoredFilters: ["customer.ids"] });
    customers(one, 3);
    expect(member(await one.read("v1/customer?ids=-1&limit=0"), "totalCount")).toBe(3);
    expect(member(await one.read("v1/customer?search=zzz&limit=0"), "totalCount")).toBe(0);
    expect(member(await one.read("v1/ticket?ids=-1&limit=0"), "totalCount")).toBe(0);
  });

  it("changedSince may leave out the moment itself", async () => {
    for (const changedSinceInclusive of [true, false]) {
      await using tenant = await openTenant({ changedSinceInclusive, clock: { now: () => 0 } });
      customers(tenant, 1);
      const reply = await tenant.read("v1/customer?changedSince=1970-01-01T00:00:00.000Z");
      expect(member(reply, "totalCount")).toBe(changedSinceInclusive ? 1 : 0);
    }
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

describe("rules that the documents leave open", () => {
  it("two customers may share a customerId unless the tenant refuses it", async () => {
    await using open = await openTenant();
    await open.customer({ customerId: "1" });
    await open.customer({ customerId: "1" });
    expect(open.sandbox.records("customer")).toHaveLength(2);
    await using strict = await openTenant({ customerIdUnique: true });
    const id = await strict.customer({ customerId: "1" });
    const body = { name: "x", customerId: "1", customerStatus: strict.named("customerStatus", "Active") };
    expect((await strict.write("POST", "v1/customer", body)).status).toBe(400);
    expect((await strict.write("PUT", `v1/customer/${id}`, { customerId: "1" })).status).toBe(200);
  });

  it.for([
    ["clears", 200, null],
    ["refused", 400, "old"],
    ["ignored", 200, "old"],
  ] as const)("null %s", async ([nullValue, status, found]) => {
    await using tenant = await openTenant({ nullValue });
    const id = await tenant.customer({ shortName: "old" });
    expect((await tenant.write("PUT", `v1/customer/${id}`, { shortName: null })).status).toBe(status);
    expect(tenant.sandbox.record("customer", id)?.["shortName"]).toBe(found);
  });

  it("erpReferenceNumber of a ticket may be dropped by an edit", async () => {
    for (const ticketErpReferenceEditable of [true, false]) {
      await using tenant = await openTenant({ ticketErpReferenceEditable });
      const id = await tenant.ticket({ erpReferenceNumber: "old" });
      expect((await tenant.write("PUT", `v1/ticket/${id}`, { erpReferenceNumber: "new" })).status).toBe(200);
      expect(tenant.sandbox.record("ticket", id)?.["erpReferenceNumber"]).toBe(
        ticketErpReferenceEditable ? "new" : "old",
      );
    }
  });

  it("a write to a nested record may move its parent's modified", async () => {
    for (const childTouchesParent of [true, false]) {
      const time = { at: 1_000 };
      await using tenant = await openTenant({ childTouchesParent, clock: { now: () => time.at } });
      const ticket = await tenant.ticket();
      time.at = 2_000;
      await tenant.write("POST", `v1/ticket/${ticket}/message`, { content: "x" });
      const moved = tenant.sandbox.record("ticket", ticket)?.["modified"] === "1970-01-01T00:00:02.000Z";
      expect(moved).toBe(childTouchesParent);
    }
  });

  it("token names may be free", async () => {
    await using tenant = await openTenant({ tokenNamesUnique: false });
    const login = async () =>
      member(await tenant.write("POST", "login", { username: "sync", password: "sandbox" }), "access_token");
    const [first] = [await login(), await login()];
    expect((await tenant.read("v1/tag", { token: JSON.parse(JSON.stringify(first)) })).status).toBe(200);
  });
});
