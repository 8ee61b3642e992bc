import { describe, expect, it } from "vitest";
import { parseInTurns } from "#http";
import type { JsonObject } from "#model";
import { resourceFacts, resourceNames } from "#service";
import { Brand } from "../../src/service/dialect/brand.ts";
import { fieldsParameter } from "../../src/service/dialect/custom-fields.ts";
import { Paths, type LoadWritten } from "../../src/service/dialect/paths.ts";
import { thrownBy } from "../kit/outcome.ts";
import { dialect } from "./stand-in.ts";

describe("the brand", () => {
  const brand = new Brand("acme");

  it.each([
    ["svcDocument", "acmeDocument"],
    ["id,ticket.svcDocuments,-svcDocuments", "id,ticket.acmeDocuments,-acmeDocuments"],
    ["hasSvcDocuments", "hasAcmeDocuments"],
    ["svcDocument/5/task", "acmeDocument/5/task"],
    ["customer", "customer"],
    ["msvcDocument", "msvcDocument"],
    ["svc", "svc"],
  ])("writes %s as %s, and reads it back", (neutral, wire) => {
    expect(brand.outward(neutral)).toBe(wire);
    expect(brand.inward(wire)).toBe(neutral);
  });

  it("translates names at every depth and leaves values alone", () => {
    const neutral = { svcDocuments: [{ svcDocument: 1, name: "svcDocument" }] };
    const wire = { acmeDocuments: [{ acmeDocument: 1, name: "svcDocument" }] };
    expect(brand.encode(neutral)).toEqual(wire);
    expect(brand.decode(wire)).toEqual(neutral);
  });

  it("is translated in every part of an answer that is parsed in turns", async () => {
    const row = {
      acmeDocuments: [{ acmeDocument: 1, name: "acmeDocument" }, { hasAcmeDocuments: { acmeDocument: [] } }],
    };
    const text = JSON.stringify({ acmeDocument: Array.from({ length: 9 }, () => row) });
    for (const turn of [1, 10, 100])
      expect(await parseInTurns(text, (part) => brand.decode(JSON.parse(part)), turn)).toEqual(
        brand.decode(JSON.parse(text)),
      );
  });

  it("costs nothing where the tenant has the reference's own word", () => {
    const body = { svcDocument: 1 };
    expect(new Brand("svc").encode(body)).toBe(body);
  });
});

describe("the fields parameter", () => {
  it("always asks for the id", () => {
    expect(fieldsParameter(["name", "email"])).toBe("id,name,email");
  });

  it("expands links, takes all, and leaves out", () => {
    expect(fieldsParameter(["customer.id", "customer.name"])).toBe("id,customer.id,customer.name");
    expect(fieldsParameter(["*", "x", "-svcDocuments"])).toBe("*,x,-svcDocuments");
  });

  it("asks for custom fields in the one spelling that answers values", () => {
    expect(fieldsParameter(["name", "customFields.12", "customFields.Cost centre"])).toBe(
      "id,name,customFields.id,customFields.value",
    );
    expect(fieldsParameter(["customFields"])).toBe("id,customFields.id,customFields.value");
  });
});

describe("the catalogue", () => {
  it("lists every endpoint of the reference once, irregular spellings included", () => {
    expect(resourceNames).toHaveLength(93);
    expect(new Set(resourceNames).size).toBe(93);
    expect(resourceNames).toEqual(
      expect.arrayContaining([
        "contignent",
        "contignentItem",
        "svcDocumentTraveLog",
        "traveType",
        "userAndQueue",
        "mis",
      ]),
    );
  });

  it("knows match keys, required fields and refusals where they are known", () => {
    expect(resourceFacts("customer")).toMatchObject({
      match: [["customerId"]],
      required: ["name", "customerStatus", "customerId"],
      changedSince: true,
    });
    expect(resourceFacts("tag")).toMatchObject({ neverDeletes: true });
    expect(resourceFacts("svcDocument").createOnly).toContain("erpReferenceNumber");
  });

  it("takes a resource that the reference does not list, knowing nothing of it", () => {
    expect(resourceFacts("webhook")).toMatchObject({ neverDeletes: false, match: [] });
  });
});

const nothing: LoadWritten = () => Promise.resolve(undefined);

const paths = (changes: Record<string, string>, brand = "svc", loadWritten = nothing) =>
  new Paths("https://tenant.example/", { ...dialect, paths: changes }, new Brand(brand), loadWritten);

describe("paths", () => {
  it("are the resource's name below restApi/v1, and the login's without a version", async () => {
    const plain = paths({});
    expect(plain.login).toBe("https://tenant.example/restApi/login");
    expect(await plain.collection("customer", {})).toBe("https://tenant.example/restApi/v1/customer");
    expect(await plain.record("customer", 5, {})).toBe("https://tenant.example/restApi/v1/customer/5");
  });

  it("are spelled as the dialect says, in the tenant's brand", async () => {
    expect(await paths({ contignent: "contingent" }).collection("contignent", {})).toMatch(/v1\/contingent$/);
    expect(await paths({}, "acme").collection("svcDocument", {})).toMatch(/v1\/acmeDocument$/);
  });

  it("nest below the record above, taken from the fields", async () => {
    const nested = paths({ svcDocumentTask: "svcDocument/{parent}/task" }, "acme");
    expect(await nested.collection("svcDocumentTask", { svcDocument: 3 })).toMatch(/v1\/acmeDocument\/3\/task$/);
    expect(await nested.collection("svcDocumentTask", { svcDocument: { id: 3 } })).toMatch(
      /v1\/acmeDocument\/3\/task$/,
    );
    expect(nested.fieldsInPath("svcDocumentTask")).toContain("svcDocument");
  });

  it("remember what stands above a record, over two levels", async () => {
    const nested = paths({
      svcDocumentTask: "svcDocument/{parent}/task",
      svcDocumentTaskWorkLog: "svcDocument/{svcDocument}/task/{parent}/workLog",
    });
    nested.remember("svcDocumentTask", 7, { svcDocument: 3 });
    expect(await nested.record("svcDocumentTask", 7, {})).toMatch(/v1\/svcDocument\/3\/task\/7$/);
    expect(await nested.collection("svcDocumentTaskWorkLog", { task: 7 })).toMatch(/svcDocument\/3\/task\/7\/workLog$/);
  });

  it("ask what was written once it is no longer remembered, over two levels", async () => {
    const written = new Map<string, JsonObject>([
      ["svcDocumentTask/7", { name: "Ölwechsel", svcDocument: 3 }],
      ["svcDocumentTaskWorkLog/9", { task: 7 }],
    ]);
    const nested = paths(
      {
        svcDocumentTask: "svcDocument/{parent}/task",
        svcDocumentTaskWorkLog: "svcDocument/{svcDocument}/task/{parent}/workLog",
      },
      "svc",
      (resource, id) => Promise.resolve(written.get(`${resource}/${id}`)),
    );
    expect(await nested.record("svcDocumentTaskWorkLog", 9, {})).toMatch(/svcDocument\/3\/task\/7\/workLog\/9$/);
    expect(await nested.record("svcDocumentTask", 7, { svcDocument: 4 })).toMatch(/v1\/svcDocument\/3\/task\/7$/);
  });

  it("name the field that is missing when the record above is not known", async () => {
    const nested = paths({ svcDocumentTask: "svcDocument/{parent}/task" });
    const thrown = await thrownBy(nested.record("svcDocumentTask", 7, {}));
    expect(thrown).toMatchObject({ family: "park", code: "E_PARENT_UNKNOWN", details: { field: "svcDocument" } });
  });
});
