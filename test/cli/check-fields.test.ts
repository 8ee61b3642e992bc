import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customersStream } from "../setup/customers-stream.ts";
import { openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const sources = 'sources: { erp: { adapter: sql, url: "${ERP_URL}", timezone: UTC } }';

/** `svcsync check` with a stream of customers that has these fields besides those that it must have. */
async function check(fields: string, ...more: string[]) {
  await scene.edit(
    () => `
${sources}
streams:
${customersStream()}      ${fields}
`,
  );
  return scene.run("check", ...more);
}

/** Service orders and contacts, which both have a field that the service takes at creation only. */
function ordersAndContacts(number: string): string {
  return `
${sources}
streams:
${customersStream()}  orders:
    source: erp
    read: { table: service_orders, key: order_no, changed: updated_at }
    resource: svcDocument
    fields: { erpReferenceNumber: ${number}, customer: { ref: customers, key: customer_no } }
  contacts:
    source: erp
    read: { table: contacts, key: [customer_no, contact_no], changed: updated_at }
    resource: customerContact
    fields: { name: last_name, customer: { ref: customers, key: customer_no } }
`;
}

describe("svcsync check", () => {
  it("accepts the shipped sync file, in an empty tenant and in one with records", async () => {
    await scene.edit((text) => text);
    const empty = await scene.run("check");
    expect(empty.stdout).toContain("stream customers: customer has the fields that it writes");
    expect(empty.code).toBe(0);
    expect((await scene.run("sync")).code).toBe(0);
    const filled = await scene.run("check", "--service");
    expect(filled.stdout).not.toMatch(/E_FIELD|not proven/);
    expect(filled.code).toBe(0);
  });

  it.each([[[]], [["--service"]]])("names a misspelt target field and the one that was meant (%j)", async (options) => {
    const { code, stdout } = await check("shortNmae: name2", ...options);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'PROBLEM  stream customers, field shortNmae: customer has no field "shortNmae", did you mean "shortName"? (E_FIELD_UNKNOWN)',
    );
    expect(stdout).toContain("-> Correct the field's name in the sync file");
  });

  it("names a custom field that the tenant does not have", async () => {
    scene.sandbox.seed("customField", [{ name: "Cost centre", parentType: "CUSTOMER", type: "TEXT" }]);
    const { code, stdout } = await check("customFields.Cost center: name2");
    expect(code).toBe(1);
    expect(stdout).toContain('has no field "customFields.Cost center", did you mean "customFields.Cost centre"?');
    expect((await check("customFields.Cost centre: name2")).code).toBe(0);
  });

  it.each([
    ["shortName: { const: 7 }", "field shortName: found the number 7, expected a text"],
    ["inhouse: name1", 'field inhouse: found the text "Muster", expected true or false'],
    ["companyData: name1", 'field companyData: found the text "Muster", expected the id of a record'],
  ])("names a value that the field refuses: %s", async (fields, message) => {
    const { code, stdout } = await check(fields);
    expect(code).toBe(1);
    expect(stdout).toContain(message);
    expect(stdout).toContain("(E_FIELD_TYPE)");
  });

  it("warns of a field that the service computes", async () => {
    const { code, stdout } = await check("defaultCustomerLocation: { const: 1 }");
    expect(stdout).toContain("warning  stream customers, field defaultCustomerLocation: the service computes");
    expect(code).toBe(0);
  });

  it("warns of a field that the service takes at creation only and that is written later too, unless it is a link", async () => {
    for (const options of [[], ["--offline"]]) {
      await scene.edit(() => ordersAndContacts("order_no"));
      const { code, stdout } = await scene.run("check", ...options);
      expect(stdout.match(/warning {2}stream (orders|contacts).*/g)).toEqual([
        "warning  stream orders, field erpReferenceNumber: the service takes erpReferenceNumber only when it creates a svcDocument, and drops later changes",
      ]);
      expect(code).toBe(0);
      await scene.edit(() => ordersAndContacts("{ from: order_no, own: create }"));
      expect((await scene.run("check", ...options)).stdout).not.toContain("only when it creates");
    }
  });

  it("refuses to write whole records more than once, and lets a create embed them", async () => {
    const number = "{ from: order_no, own: create }, tasks: { expr: '[{ \"name\": order_no }]'";
    await scene.edit(() => ordersAndContacts(`${number} }`));
    const { code, stderr } = await scene.run("check", "--offline");
    expect(stderr).toContain("streams.orders.fields.tasks: found whole records");
    expect(code).not.toBe(0);
    await scene.edit(() => ordersAndContacts(`${number}, own: create }`));
    for (const options of [[], ["--offline"]]) {
      const checked = await scene.run("check", ...options);
      expect(checked.stdout).not.toContain("tasks");
      expect(checked.code).toBe(0);
    }
  });

  it("warns of a field without which nothing can be created, and that the stream does not write", async () => {
    expect((await check("shortName: name2")).stdout).not.toContain("may refuse");
    const withoutStatus = customersStream().replace(/ *customerStatus: .*\n/, "");
    await scene.edit(() => `${sources}\nstreams:\n${withoutStatus}`);
    for (const options of [[], ["--offline"]]) {
      const { code, stdout } = await scene.run("check", ...options);
      expect(stdout).toContain(
        "warning  stream customers: the service may refuse to create a customer without customerStatus",
      );
      expect(code).toBe(0);
    }
  });

  it("says that a name is not proven where neither the catalogue nor a record shows it", async () => {
    await scene.edit(
      () => `
${sources}
streams:
  things:
    source: erp
    read: { table: customers, key: customer_no, changed: updated_at }
    resource: agreement
    fields: { serialNumber: customer_no }
`,
    );
    const { code, stdout } = await scene.run("check");
    expect(stdout).toContain(
      "warning  stream things: not proven: serialNumber: not in svcsync's catalogue, and the service shows no record of agreement",
    );
    expect(code).toBe(0);
  });

  it("warns of a match rule that takes two sample rows for one record", async () => {
    scene.erp.insertCustomer({ customer_no: "10003", name1: "Mus-ter" });
    const loose = customersStream().replace("match: [customerId]", "match: { fields: [name], compare: normalized }");
    await scene.edit(() => `${sources}\nstreams:\n${loose}`);
    const { code, stdout } = await scene.run("check");
    expect(stdout).toContain('warning  stream customers, match: compare: normalized takes "Muster" and "Mus-ter"');
    expect(code).toBe(0);
  });
});
