import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idsOf, member, openTenant, rowsOf, type Tenant } from "./tenant.ts";

const names = async (tenant: Tenant, sortings: string) => {
  const path = `v1/priority?fields=name&sortings=${encodeURIComponent(sortings)}`;
  return rowsOf(await tenant.read(path), "priority").map((row) => row["name"]);
};

describe("generic conventions (section 4.1)", () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await openTenant();
  });
  afterAll(() => tenant[Symbol.asyncDispose]());

  it("create answers 200 and the created record", async () => {
    const customerStatus = tenant.named("customerStatus", "Active");
    const reply = await tenant.write("POST", "v1/customer", { name: "Größl & Söhne", customerStatus, customerId: "1" });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect(reply.json).toMatchObject({
      id: expect.any(Number),
      name: "Größl & Söhne",
      customerStatus,
      customerId: "1",
    });
  });

  it("read one answers the bare record", async () => {
    const id = await tenant.customer({ name: "Alone" });
    const reply = await tenant.read(`v1/customer/${id}`);
    expect(reply.json).toMatchObject({ id, name: "Alone", link: `${tenant.sandbox.url}/restApi/v1/customer/${id}` });
  });

  it("read list answers totalCount, offset, limit and the rows under the resource's name", async () => {
    const reply = await tenant.read("v1/customerStatus?sortings=id%20asc");
    expect(Object.keys(JSON.parse(reply.text))).toEqual(["totalCount", "offset", "limit", "customerStatus"]);
    expect(reply.json).toMatchObject({ totalCount: 3, offset: 0, limit: 10 });
    expect(rowsOf(reply, "customerStatus").map((row) => row["name"])).toEqual(["Active", "Inactive", "Prospect"]);
  });

  it("edit leaves fields that are absent from the payload unchanged and answers the record", async () => {
    const id = await tenant.customer({ shortName: "SHORT" });
    const reply = await tenant.write("PUT", `v1/customer/${id}`, { name: "Renamed" });
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ id, name: "Renamed", shortName: "SHORT" });
    expect(tenant.sandbox.record("customer", id)).toMatchObject({ name: "Renamed", shortName: "SHORT" });
  });

  it("delete answers 204 and nothing, and the record is gone", async () => {
    const id = await tenant.customer();
    const reply = await tenant.write("DELETE", `v1/customer/${id}`);
    expect([reply.status, reply.text]).toEqual([204, ""]);
    expect((await tenant.read(`v1/customer/${id}`)).status).toBe(404);
    expect((await tenant.write("DELETE", `v1/customer/${id}`)).status).toBe(404);
    expect((await tenant.write("PUT", `v1/customer/${id}`, { name: "x" })).status).toBe(404);
  });

  it("payloads are JSON: anything else is refused", async () => {
    const broken = await tenant.write("POST", "v1/customer", undefined, { raw: "{" });
    expect(broken.json).toEqual({ status: 400, errorMessage: "invalid json data" });
    expect((await tenant.write("POST", "v1/customer", [1])).status).toBe(400);
    expect((await tenant.write("POST", "v1/customer")).status).toBe(400);
    const form = { raw: "name=x", headers: { "content-type": "application/x-www-form-urlencoded" } };
    expect((await tenant.write("POST", "v1/customer", undefined, form)).status).toBe(415);
  });

  it("all date and time values are in UTC with milliseconds", async () => {
    const id = await tenant.customer();
    const reply = await tenant.read(`v1/customer/${id}?fields=created,modified`);
    for (const stamp of [member(reply, "created"), member(reply, "modified")])
      expect(stamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("resource paths carry v1, once, and their case counts; a trailing slash does not", async () => {
    expect((await tenant.read("v1/customerstatus")).status).toBe(404);
    expect((await tenant.read("customerStatus")).status).toBe(404);
    expect((await tenant.read("v1/v1/customerStatus")).status).toBe(404);
    expect((await tenant.read("v2/customerStatus")).status).toBe(404);
    expect((await tenant.read("v1/customerStatus/?limit=1")).status).toBe(200);
    expect((await tenant.read("v1/customerStatus//")).status).toBe(404);
  });

  it("methods that are not offered are answered with 405", async () => {
    const id = await tenant.customer();
    for (const [method, path] of [
      ["PATCH", `v1/customer/${id}`],
      ["POST", `v1/customer/${id}`],
      ["PUT", "v1/customer"],
      ["DELETE", "v1/customer"],
    ] as const)
      expect([method, path, (await tenant.write(method, path, {})).status]).toEqual([method, path, 405]);
  });

  it("ids are unique across resources, so that mixing them up is found out", () => {
    const resources = ["customerStatus", "priority", "ticketStatus", "tag", "user", "serviceType"];
    const ids = resources.flatMap((resource) => tenant.sandbox.records(resource).map((record) => record.id));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("errors (section 7)", () => {
  it("carry status and errorMessage", async () => {
    await using tenant = await openTenant();
    const reply = await tenant.read("v1/customer/4711");
    expect(reply.json).toEqual({ status: 404, errorMessage: "customer 4711 does not exist" });
    expect((await tenant.read("v1/nothing")).json).toMatchObject({ status: 404, errorMessage: expect.any(String) });
  });
});

describe("the query parameter limit (sections 4.2 and 8)", () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await openTenant();
    tenant.sandbox.seed(
      "customer",
      Array.from({ length: 120 }, (_, at) => ({ name: `K${at}`, customerId: String(at) })),
    );
  });
  afterAll(() => tenant[Symbol.asyncDispose]());

  it("when absent, 10 records are returned", async () => {
    expect(rowsOf(await tenant.read("v1/customer"), "customer")).toHaveLength(10);
  });

  it("is the number of records returned", async () => {
    const reply = await tenant.read("v1/customer?limit=7");
    expect([rowsOf(reply, "customer").length, member(reply, "limit"), member(reply, "totalCount")]).toEqual([
      7, 7, 120,
    ]);
  });

  it("is 50 at most: more is capped and the cap is echoed", async () => {
    const reply = await tenant.read("v1/customer?limit=51");
    expect([rowsOf(reply, "customer").length, member(reply, "limit")]).toEqual([50, 50]);
  });

  it("0 returns no records and the right count", async () => {
    const reply = await tenant.read("v1/customer?limit=0");
    expect(reply.json).toEqual({ totalCount: 120, offset: 0, limit: 0, customer: [] });
  });

  it("must be a whole number, and so must offset", async () => {
    for (const query of ["limit=x", "limit=-1", "limit=1.5", "offset=x", "offset=-1"])
      expect([query, (await tenant.read(`v1/customer?${query}`)).status]).toEqual([query, 400]);
    expect((await tenant.read("v1/customer?limit=&offset=&fields=&changedSince=")).status).toBe(200);
  });

  it("with offset walks through all records once, sorted by id", async () => {
    const seen: (number | undefined)[] = [];
    for (let offset = 0; offset < 120; offset += 50)
      seen.push(...idsOf(await tenant.read(`v1/customer?limit=50&offset=${offset}&sortings=id%20asc`), "customer"));
    expect(seen).toEqual(tenant.sandbox.records("customer").map((record) => record.id));
    expect(idsOf(await tenant.read("v1/customer?offset=120"), "customer")).toEqual([]);
  });

  it("without sortings the newest come first, so that new rows move the pages", async () => {
    const ids = tenant.sandbox.records("customer").map((record) => record.id);
    expect(idsOf(await tenant.read("v1/customer?limit=3"), "customer")).toEqual(ids.slice(-3).toReversed());
  });

  it("sortings obeys several fields and directions", async () => {
    expect(await names(tenant, "priority desc")).toEqual(["High", "Normal", "Low"]);
    expect(await names(tenant, "isDefault desc,name asc")).toEqual(["Normal", "High", "Low"]);
    expect(await names(tenant, "nothing asc")).toEqual(["High", "Normal", "Low"]);
  });
});
