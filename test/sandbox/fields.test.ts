import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { member, openTenant, rowsOf, type Tenant } from "./tenant.ts";

describe("the query parameter fields (section 4.3)", () => {
  let tenant: Tenant;
  let customer: number;
  let contact: number;
  let ticket: number;
  beforeAll(async () => {
    tenant = await openTenant();
    customer = await tenant.customer({ name: "Huber", shortName: "HU" });
    const body = { name: "Käthe Ünal", email: "k@example.com", customer, firstName: "Käthe" };
    contact = (await tenant.write("POST", "v1/customerContact", body)).id;
    ticket = await tenant.ticket({ customer, tags: [tenant.named("tag", "VIP"), tenant.named("tag", "Wartung")] });
  });
  afterAll(() => tenant[Symbol.asyncDispose]());

  it("`a,b` returns only these properties", async () => {
    expect((await tenant.read(`v1/customer/${customer}?fields=name,shortName`)).json).toEqual({
      name: "Huber",
      shortName: "HU",
    });
    const list = await tenant.read("v1/customer?fields=id");
    expect(rowsOf(list, "customer")).toEqual([{ id: customer }]);
  });

  it("commas may be percent-encoded", async () => {
    expect((await tenant.read(`v1/customer/${customer}?fields=id%2Cname`)).json).toEqual({
      id: customer,
      name: "Huber",
    });
  });

  it("`link.prop` includes the property of the linked object", async () => {
    const reply = await tenant.read(`v1/customerContact/${contact}?fields=id,customer.name,customer.shortName`);
    expect(reply.json).toEqual({ id: contact, customer: { id: customer, name: "Huber", shortName: "HU" } });
    const list = await tenant.read("v1/customerContact?fields=email,customer.name");
    expect(rowsOf(list, "customerContact")).toEqual([
      { email: "k@example.com", customer: { id: customer, name: "Huber" } },
    ]);
  });

  it("dotted names go through several links and through arrays", async () => {
    const deep = await tenant.read(`v1/customerContact/${contact}?fields=customer.customerStatus.name`);
    const status = tenant.named("customerStatus", "Active");
    expect(deep.json).toEqual({ customer: { id: customer, customerStatus: { id: status, name: "Active" } } });
    const many = await tenant.read(`v1/ticket/${ticket}?fields=tags.name`);
    expect(member(many, "tags")).toEqual([
      { id: tenant.named("tag", "VIP"), name: "VIP" },
      { id: tenant.named("tag", "Wartung"), name: "Wartung" },
    ]);
  });

  it("linked objects are integers unless dotted names are asked for", async () => {
    expect((await tenant.read(`v1/customerContact/${contact}?fields=customer`)).json).toEqual({ customer });
  });

  it("`*` returns all properties", async () => {
    const reply = await tenant.read(`v1/ticket/${ticket}?fields=*`);
    expect(reply.json).toMatchObject({ description: "Heizung fällt aus", svcDocuments: [], erpReferenceNumber: null });
    expect(Object.keys(JSON.parse(reply.text)).length).toBeGreaterThan(40);
  });

  it("`*,-svcDocuments` returns all ticket properties except the service records", async () => {
    const all = Object.keys(JSON.parse((await tenant.read(`v1/ticket/${ticket}?fields=*`)).text));
    const without = Object.keys(JSON.parse((await tenant.read(`v1/ticket/${ticket}?fields=*,-svcDocuments`)).text));
    expect(without).toEqual(all.filter((name) => name !== "svcDocuments"));
  });

  it("`-prop` alone excludes from the defaults", async () => {
    const all = Object.keys(JSON.parse((await tenant.read(`v1/customer/${customer}`)).text));
    const without = Object.keys(JSON.parse((await tenant.read(`v1/customer/${customer}?fields=-name`)).text));
    expect(without).toEqual(all.filter((name) => name !== "name"));
  });

  it("names that do not exist are left out", async () => {
    expect((await tenant.read(`v1/customer/${customer}?fields=name,nonsense,x.y`)).json).toEqual({ name: "Huber" });
  });

  it("without it a list shows less than a single read, and neither shows everything", async () => {
    const one = Object.keys(JSON.parse((await tenant.read(`v1/ticket/${ticket}`)).text));
    const [row] = rowsOf(await tenant.read("v1/ticket"), "ticket");
    expect(Object.keys(row ?? {}).length).toBeLessThan(one.length);
    for (const name of ["description", "erpReferenceNumber", "internalDescription", "priority", "ticketStatus"])
      expect(one).not.toContain(name);
    const contactNames = Object.keys(JSON.parse((await tenant.read(`v1/customerContact/${contact}`)).text));
    expect(contactNames).toEqual(expect.arrayContaining(["id", "name", "email", "customer"]));
    for (const name of ["firstName", "lastName", "website"]) expect(contactNames).not.toContain(name);
  });

  it("is obeyed by create and edit, whose answers carry the id in any case", async () => {
    const customerStatus = tenant.named("customerStatus", "Active");
    const made = await tenant.write("POST", "v1/customer?fields=name", { name: "N", customerStatus, customerId: "n" });
    expect(made.json).toEqual({ id: expect.any(Number), name: "N" });
    const edited = await tenant.write("PUT", `v1/customer/${made.id}?fields=name,modified`, { name: "M" });
    expect(edited.json).toEqual({ id: made.id, name: "M", modified: expect.any(String) });
  });

  it("never shows a password", async () => {
    const body = { name: "U", email: "u@example.com", username: "u", password: "hidden" };
    const made = await tenant.write("POST", "v1/user?fields=*", {
      ...body,
      permissionGroup: tenant.named("permissionGroup", "Technik"),
    });
    expect(made.status).toBe(200);
    expect((await tenant.read(`v1/user/${made.id}?fields=*,password`)).text).not.toContain("hidden");
    expect(
      JSON.stringify(tenant.sandbox.ledger.writes({ resource: "user", id: made.id }).map((write) => write.sent)),
    ).not.toContain("hidden");
  });

  it("a link to a record that is gone reads as null when expanded", async () => {
    const gone = await tenant.customer();
    const orphan = await tenant.ticket({ customer: gone });
    await tenant.write("DELETE", `v1/customer/${gone}`);
    expect((await tenant.read(`v1/ticket/${orphan}?fields=customer.name`)).json).toEqual({ customer: null });
  });
});

describe("custom fields", () => {
  it("are flat ids, or objects with dotted names, and absent where there are no values", async () => {
    await using tenant = await openTenant();
    const define = async (name: string, type: string) =>
      (await tenant.write("POST", "v1/customField", { name, parentType: "CUSTOMER", type })).id;
    const text = await define("Sparte", "TEXT");
    const whole = await define("Rabatt", "NUMBER_LONG");
    const stray = await define("Nie zugeordnet", "TEXT");
    const assigned = await tenant.write("PUT", "v1/customer/customFields", { customFields: [text, whole] });
    expect([assigned.status, assigned.text]).toEqual([204, ""]);

    const customFields = [
      { id: whole, value: 5 },
      { id: stray, value: "swallowed" },
      { id: text, value: "Bau" },
    ];
    const id = await tenant.customer({ customFields });
    expect((await tenant.read(`v1/customer/${id}?fields=customFields`)).json).toEqual({ customFields: [text, whole] });
    const values = await tenant.read("v1/customer?fields=customFields.id,customFields.value");
    expect(rowsOf(values, "customer")).toEqual([
      {
        customFields: [
          { id: text, value: "Bau" },
          { id: whole, value: 5 },
        ],
      },
    ]);

    await tenant.write("PUT", `v1/customer/${id}`, { customFields: [{ id: whole, value: 7 }] });
    expect(tenant.sandbox.record("customer", id)?.["customFields"]).toEqual([
      { id: text, value: "Bau" },
      { id: whole, value: 7 },
    ]);
    const wrong = await tenant.write("PUT", `v1/customer/${id}`, { customFields: [{ id: whole, value: "7" }] });
    expect(wrong.status).toBe(400);
    const bare = await tenant.customer();
    expect((await tenant.read(`v1/customer/${bare}?fields=id,customFields`)).json).toEqual({ id: bare });
  });
});
