import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { member, openTenant, type Tenant } from "./tenant.ts";

describe("writes are checked", () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await openTenant();
  });
  afterAll(() => tenant[Symbol.asyncDispose]());

  it.for<[string, string[]]>([
    ["customer", ["name", "customerStatus", "customerId"]],
    ["customerContact", ["name", "customer"]],
    ["customerLocation", ["name", "street", "zipcode", "city", "customer"]],
    ["customerObject", ["object", "customer"]],
    ["ticket", ["description", "priority", "ticketStatus"]],
    ["svcDocument", ["customer"]],
    ["customerStatus", ["name", "selectable"]],
    ["user", ["email", "name", "password", "username", "permissionGroup"]],
    ["ticketMessage", ["content"]],
    ["tag", ["name"]],
  ])("%s requires its fields on create", async ([resource, required]) => {
    const links: JsonObject = { customer: await tenant.customer(), object: tenant.named("object", "Heizkessel") };
    const whole: JsonObject = {
      ...Object.fromEntries(required.map((name) => [name, `x${name}`])),
      ...(required.includes("customer") ? { customer: links["customer"] ?? null } : {}),
      ...(required.includes("object") ? { object: links["object"] ?? null } : {}),
      ...(required.includes("customerStatus") ? { customerStatus: tenant.named("customerStatus", "Active") } : {}),
      ...(required.includes("priority") ? { priority: tenant.named("priority", "Low") } : {}),
      ...(required.includes("ticketStatus") ? { ticketStatus: tenant.named("ticketStatus", "Open") } : {}),
      ...(required.includes("permissionGroup") ? { permissionGroup: tenant.named("permissionGroup", "Technik") } : {}),
      ...(required.includes("selectable") ? { selectable: true } : {}),
    };
    const before = tenant.sandbox.records(resource).length;
    for (const name of required)
      for (const missing of [{ [name]: null }, { [name]: "" }]) {
        const reply = await tenant.write("POST", `v1/${resource}`, { ...whole, ...missing });
        expect([name, reply.status]).toEqual([name, 400]);
      }
    const { [required[0]!]: _left, ...without } = whole;
    expect((await tenant.write("POST", `v1/${resource}`, without)).json).toEqual({
      status: 400,
      errorMessage: `${required[0]} is required`,
    });
    expect(tenant.sandbox.records(resource)).toHaveLength(before);
    expect((await tenant.write("POST", `v1/${resource}`, whole)).status).toBe(200);
  });

  it("an edit may not empty a required field, and need not send it", async () => {
    const id = await tenant.customer({ name: "Stays" });
    expect((await tenant.write("PUT", `v1/customer/${id}`, { name: "" })).status).toBe(400);
    expect((await tenant.write("PUT", `v1/customer/${id}`, { shortName: "x" })).status).toBe(200);
    expect(tenant.sandbox.record("customer", id)).toMatchObject({ name: "Stays", shortName: "x" });
  });

  it("link targets must exist and be integers, on create and on edit", async () => {
    const priority = tenant.named("priority", "Low");
    expect((await tenant.write("POST", "v1/customerContact", { name: "x", customer: 4711 })).json).toEqual({
      status: 400,
      errorMessage: "customer 4711 does not exist",
    });
    expect((await tenant.write("POST", "v1/customerContact", { name: "x", customer: priority })).status).toBe(400);
    const ticket = await tenant.ticket();
    expect((await tenant.write("PUT", `v1/ticket/${ticket}`, { customer: "1" })).status).toBe(400);
    expect((await tenant.write("PUT", `v1/ticket/${ticket}`, { customer: { id: 1 } })).status).toBe(400);
  });

  it("owner and personInCharge take a user or a queue", async () => {
    for (const owner of [tenant.named("user", "Sabine Öttl"), tenant.named("queue", "Disposition")])
      expect((await tenant.write("PUT", `v1/ticket/${await tenant.ticket()}`, { owner })).json).toMatchObject({
        owner,
      });
    expect(
      (await tenant.write("PUT", `v1/ticket/${await tenant.ticket()}`, { owner: tenant.named("tag", "VIP") })).status,
    ).toBe(400);
  });

  it("values of the wrong kind are refused", async () => {
    const ticket = await tenant.ticket();
    for (const body of [
      { description: 1 },
      { billable: 1 },
      { dueDate: "2026-01-01" },
      { externalSla: "5" },
      { additionalData: [] },
    ]) {
      const reply = await tenant.write("PUT", `v1/ticket/${ticket}`, body);
      expect([body, reply.status]).toEqual([body, 400]);
    }
    const contact = { name: "x", customer: await tenant.customer(), gender: "male" };
    expect((await tenant.write("POST", "v1/customerContact", contact)).status).toBe(400);
  });

  it("unknown and read-only fields are accepted with 200 and dropped", async () => {
    const id = await tenant.customer({ id: 9_999_999, created: "2000-01-01T00:00:00.000Z", colour: "red" });
    expect(id).toBeLessThan(9_999_999);
    const reply = await tenant.write("PUT", `v1/customer/${id}?fields=*`, {
      modified: "2000-01-01T00:00:00.000Z",
      Name: "x",
      customerid: "y",
    });
    expect([reply.status, member(reply, "modified")]).toEqual([200, expect.not.stringMatching(/^2000/)]);
    expect(JSON.stringify(tenant.sandbox.record("customer", id))).not.toMatch(/red|2000-|"y"/);
    const [write] = tenant.sandbox.ledger.writes({ resource: "customer", id, action: "edit" });
    expect(write?.dropped).toEqual(["modified", "Name", "customerid"]);
  });

  it("fields of a create alone are dropped by an edit", async () => {
    const [one, two] = [await tenant.customer(), await tenant.customer()];
    const contact = (await tenant.write("POST", "v1/customerContact", { name: "x", customer: one })).id;
    expect((await tenant.write("PUT", `v1/customerContact/${contact}`, { customer: two })).json).toMatchObject({
      customer: one,
    });
    const document = (await tenant.write("POST", "v1/svcDocument", { customer: one, erpReferenceNumber: "A-1" })).id;
    await tenant.write("PUT", `v1/svcDocument/${document}`, { erpReferenceNumber: "A-2", invoiceNumber: "R-1" });
    expect(tenant.sandbox.record("svcDocument", document)).toMatchObject({ erpReferenceNumber: "A-1" });
    expect(tenant.sandbox.record("svcDocument", document)).not.toHaveProperty("invoiceNumber");
  });

  it("every edit moves modified, also one that changes nothing", async () => {
    const time = { at: 1_000 };
    await using clocked = await openTenant({ clock: { now: () => time.at } });
    const id = await clocked.customer();
    time.at = 2_000;
    await clocked.write("PUT", `v1/customer/${id}`, {});
    expect(clocked.sandbox.record("customer", id)).toMatchObject({
      created: "1970-01-01T00:00:01.000Z",
      modified: "1970-01-01T00:00:02.000Z",
    });
  });
});
