import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "#model";
import type { SandboxOptions } from "#sandbox";
import { openTenant } from "../conformance/service-tenant.ts";
import { open, standIn } from "./stand-in.ts";
import { never } from "../kit/outcome.ts";

/** What is said of a field of customers, in a tenant that has these records. */
async function factOf(field: string, records: readonly JsonObject[]) {
  await using server = await standIn(() => ({ json: { totalCount: records.length, customer: [...records] } }));
  await using opened = open(server.url);
  return (await opened.service.fields("customer", [field], never)).facts.get(field);
}

/** What is said of a field by a tenant whose records show every name that is asked for. */
async function echoed(field: string) {
  await using server = await standIn(({ query }) => {
    const asked = (query.get("fields") ?? "").split(",").map((name): [string, Json] => [name, null]);
    return { json: { totalCount: 1, customer: [{ ...Object.fromEntries(asked), id: 1 }] } };
  });
  await using opened = open(server.url);
  return (await opened.service.fields("customer", [field], never)).facts.get(field);
}

async function withCustomFields(fields: readonly JsonObject[], names: readonly string[]) {
  await using server = await standIn(({ path }) =>
    path.endsWith("/customField")
      ? { json: { totalCount: fields.length, customField: [...fields] } }
      : { json: { totalCount: 0, customer: [] } },
  );
  await using opened = open(server.url);
  return (await opened.service.fields("customer", names, never)).facts;
}

describe("the fields of a resource", () => {
  it("are known when the tenant shows them, whatever the catalogue lists", async () => {
    expect(await factOf("loyaltyLevel", [{ id: 1, loyaltyLevel: 3 }])).toMatchObject({
      verdict: "known",
      kind: "number",
    });
    expect(await factOf("loyaltyLevel", [{ id: 1, loyaltyLevel: null }])).toMatchObject({ verdict: "known" });
    expect(await factOf("customerIds", [{ id: 1, customerIds: "7" }])).toMatchObject({
      verdict: "known",
      kind: "text",
    });
  });

  it("are known when the catalogue lists them, whatever the tenant shows", async () => {
    expect(await factOf("wildcardAddress", [])).toMatchObject({ verdict: "known", kind: "text" });
    expect(await factOf("wildcardAddress", [{ id: 1, name: null }])).toMatchObject({ verdict: "known" });
  });

  it("are unknown when they resemble one that the catalogue lists or the tenant shows", async () => {
    expect(await factOf("custmerId", [])).toMatchObject({ verdict: "unknown", suggestion: "customerId" });
    const shown = await factOf("loyalityLevel", [{ id: 1, loyaltyLevel: 3 }]);
    expect(shown).toMatchObject({ verdict: "unknown", suggestion: "loyaltyLevel" });
  });

  it("are unknown when records come without them and with fields that are empty", async () => {
    expect(await factOf("loyaltyLevel", [{ id: 1, shortName: null }])).toMatchObject({ verdict: "unknown" });
  });

  it("stay unproven where no record comes, or the tenant leaves empty fields out", async () => {
    expect(await factOf("loyaltyLevel", [])).toMatchObject({ verdict: "unproven" });
    expect(await factOf("loyaltyLevel", [{ id: 1, name: "A" }])).toMatchObject({ verdict: "unproven" });
  });

  it("are not believed by a tenant that shows every name it is asked for", async () => {
    expect(await echoed("loyaltyLevel")).toMatchObject({ verdict: "unproven" });
    expect(await echoed("custmerId")).toMatchObject({ verdict: "unknown", suggestion: "customerId" });
  });

  it("say which are computed by the service", async () => {
    expect(await factOf("defaultCustomerLocation", [])).toMatchObject({ verdict: "known", isReadOnly: true });
  });

  it("include the tenant's custom fields of this resource, by name and by id, with what they take", async () => {
    const fields = [
      { id: 5, name: "Cost centre", parentType: "CUSTOMER", type: "TEXT" },
      { id: 6, name: "Discount", parentType: "CUSTOMER", type: "NUMBER_DOUBLE" },
      { id: 7, name: "Machine", parentType: "TICKET", type: "TEXT" },
    ];
    const names = ["Cost centre", "6", "Cost center", "Machine", "8"].map((name) => `customFields.${name}`);
    const facts = await withCustomFields(fields, names);
    expect([...facts.values()].map(({ verdict, kind, suggestion }) => [verdict, kind, suggestion])).toEqual([
      ["known", "text", undefined],
      ["known", "number", undefined],
      ["unknown", undefined, "customFields.Cost centre"],
      ["unknown", undefined, undefined],
      ["unknown", undefined, undefined],
    ]);
  });

  it("prove nothing where the token's user may not read the resource", async () => {
    await using server = await standIn(() => ({ status: 403, json: { status: 403, errorMessage: "forbidden" } }));
    await using opened = open(server.url);
    const { recordCount, facts } = await opened.service.fields("customer", ["name", "loyaltyLevel"], never);
    expect(recordCount).toBe(0);
    expect([...facts.values()].map(({ verdict }) => verdict)).toEqual(["known", "unproven"]);
  });

  it("are read under the tenant's own words", async () => {
    const options: SandboxOptions = { brand: "acme" };
    await using tenant = await openTenant(options, { brand: "acme" });
    tenant.sandbox.seed("customer", [tenant.customer(1)]);
    const { recordCount, facts } = await tenant.service.fields("customer", ["name", "custmerId"], never);
    expect(recordCount).toBe(1);
    expect([...facts.values()].map(({ verdict }) => verdict)).toEqual(["known", "unknown"]);
  });
});
