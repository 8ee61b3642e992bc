import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "#model";
import type { ServiceDialect } from "#settings";
import { dialect, open, standIn, type Opened, type Reply } from "./stand-in.ts";
import { never, thrownBy } from "../kit/outcome.ts";

async function rowsOf(opened: Opened, resource: string, query: { fields: string[]; changedSince?: number }) {
  const all: JsonObject[] = [];
  for await (const rows of opened.service.list(resource, query, never)) all.push(...rows);
  return all;
}

const rows = [
  { id: 1, name: "A" },
  { id: 2, name: "B" },
];

const unstable = { family: "retry", code: "E_LIST_UNSTABLE" };
const unknown = { family: "park", code: "E_RESOURCE_UNKNOWN" };

describe("a list", () => {
  it("is asked for with fields, limit, offset and a stable order", async () => {
    await using server = await standIn(() => ({ json: { totalCount: 2, customer: rows } }));
    await using opened = open(server.url);
    expect(await rowsOf(opened, "customer", { fields: ["name"] })).toEqual(rows);
    expect(Object.fromEntries(server.seen[0]?.query ?? [])).toEqual({
      fields: "id,name",
      limit: "50",
      offset: "0",
      sortings: "id asc",
    });
  });

  it.each<[string, Json, Partial<ServiceDialect>]>([
    ["under the resource's name", { totalCount: 2, customer: rows }, {}],
    ["as a bare array", rows, { listWrapper: "array", totalKey: undefined }],
    ["under one fixed key", { count: 2, rows }, { listWrapper: { key: "rows" }, totalKey: "count" }],
    ["under a key of its own", { totalCount: 2, clients: rows }, { listKeys: { customer: "clients" } }],
    ["below result", { result: { totalCount: 2, customer: rows } }, {}],
    ["under an unknown key, when there is no other", { totalCount: 2, entries: rows }, {}],
    ["under an unknown key, when its total says that there is nothing", { totalCount: 0, entries: rows }, {}],
  ])("is read %s", async (_, json, changes) => {
    await using server = await standIn(({ query }) => ({ json: query.get("offset") === "0" ? json : [rows[1] ?? {}] }));
    await using opened = open(server.url, { dialect: { ...dialect, ...changes } });
    expect(await rowsOf(opened, "customer", { fields: ["name"] })).toEqual(rows);
  });

  it("that is longer than it was asked for is handed on in pieces, and others have their turn between them", async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => ({ id: at + 1, name: "A" }));
    await using server = await standIn(({ query }) => ({
      json: { totalCount: 1_000, customer: many.slice(Number(query.get("offset"))) },
    }));
    await using opened = open(server.url);
    const sizes: number[] = [];
    let turns = 0;
    for await (const piece of opened.service.list("customer", { fields: ["name"] }, never)) {
      expect(turns).toBe(sizes.length);
      sizes.push(piece.length);
      setImmediate(() => (turns += 1));
    }
    expect(sizes).toEqual([200, 200, 200, 200, 200]);
  });

  it("without rows is an error that names the setting", async () => {
    await using server = await standIn(() => ({ json: { hello: "world" } }));
    await using opened = open(server.url);
    const thrown = await thrownBy(rowsOf(opened, "customer", { fields: ["id"] }));
    expect(thrown).toMatchObject({ code: "E_SERVICE_ANSWER" });
    expect(String(thrown)).toContain("DIALECT_LIST_WRAPPER");
  });

  it.each<[string, Reply]>([
    ["no body", {}],
    ["204", { status: 204 }],
    ["null", { json: null }],
    ["a bare [] where lists have a wrapper", { json: [] }],
    ["a refusal that says 200", { json: { success: false, errors: [] } }],
    ["rows that are no records", { json: { totalCount: 2, customer: [null, "x"] } }],
    ["an unknown key without rows", { json: { entries: [] } }],
  ])("is not believed to be empty on %s", async (_, reply) => {
    await using server = await standIn(() => reply);
    await using opened = open(server.url);
    expect(await thrownBy(rowsOf(opened, "customer", { fields: ["id"] }))).toMatchObject({
      family: "retry",
      code: "E_SERVICE_ANSWER",
    });
  });

  it.each<[string, Json, Partial<ServiceDialect>]>([
    ["its own key holds no rows", { customer: [] }, {}],
    ["its total is 0", { totalCount: 0 }, {}],
    ["a tenant whose lists are bare arrays says []", [], { listWrapper: "array", totalKey: undefined }],
  ])("is empty when %s", async (_, json, changes) => {
    await using server = await standIn(() => ({ json }));
    await using opened = open(server.url, { dialect: { ...dialect, ...changes } });
    expect(await rowsOf(opened, "customer", { fields: ["id"] })).toEqual([]);
  });

  it.each(["1e30", "0", "-1", "9007199254740993", '"7x"'])("with the id %s is refused whole", async (id) => {
    const text = `{"totalCount":2,"customer":[{"id":1},{"id":${id}}]}`;
    await using server = await standIn(() => ({ text, headers: { "content-type": "application/json" } }));
    await using opened = open(server.url);
    const thrown = await thrownBy(rowsOf(opened, "customer", { fields: ["id"] }));
    expect(thrown).toMatchObject({ family: "retry", code: "E_SERVICE_ANSWER" });
    expect(String(thrown)).toContain("expected a positive whole number");
  });

  it.each([dialect.paging, { kind: "none" }] as const)(
    "gives ids as numbers where a tenant writes them as text (%j)",
    async (paging) => {
      await using server = await standIn(() => ({ json: { totalCount: 1, customer: [{ id: "12" }] } }));
      await using opened = open(server.url, { dialect: { ...dialect, paging } });
      expect(await rowsOf(opened, "customer", { fields: ["id"] })).toEqual([{ id: 12 }]);
    },
  );

  it("narrows by changedSince in the one format that is taken, and checks every row", async () => {
    const changed = [
      { id: 1, modified: "2026-01-01T00:00:00.000Z" },
      { id: 2, modified: "2026-01-02T00:00:00.000Z" },
      { id: 3 },
    ];
    await using server = await standIn(() => ({ json: { totalCount: 3, customer: changed } }));
    await using opened = open(server.url);
    const since = Date.parse("2026-01-01T12:00:00Z");
    const found = await rowsOf(opened, "customer", { fields: ["name"], changedSince: since });
    expect(found.map(({ id }) => id)).toEqual([2, 3]);
    expect(server.seen[0]?.query.get("changedSince")).toBe("2026-01-01T12:00:00.000Z");
    expect(server.seen[0]?.query.get("fields")).toBe("id,name,modified");
  });

  it("does not send changedSince to a resource that does not know it", async () => {
    await using server = await standIn(() => ({ json: { totalCount: 0, ticketCategory: [] } }));
    await using opened = open(server.url);
    await rowsOf(opened, "ticketCategory", { fields: ["name"], changedSince: 5 });
    expect(server.seen[0]?.query.has("changedSince")).toBe(false);
  });

  it("walks all parents where the dialect nests the resource, and knows each row's parent", async () => {
    await using server = await standIn(({ path }) => {
      if (path.endsWith("svcDocument")) return { json: { totalCount: 2, svcDocument: [{ id: 10 }, { id: 20 }] } };
      const parent = Number(path.split("/").at(-2));
      return { json: { totalCount: 1, task: [{ id: parent + 1, name: "T" }] } };
    });
    const nested = { ...dialect, paths: { svcDocumentTask: "svcDocument/{parent}/task" } };
    await using opened = open(server.url, { dialect: nested });
    expect(await rowsOf(opened, "svcDocumentTask", { fields: ["name"] })).toEqual([
      { id: 11, name: "T", svcDocument: 10 },
      { id: 21, name: "T", svcDocument: 20 },
    ]);
  });

  it.each<[string, Reply, object]>([
    ["begins again later where a parent is deleted while its children are read", { status: 404 }, unstable],
    ["says that the tenant has no such resource where the parent is there", { json: { id: 10 } }, unknown],
  ])("%s", async (_, parent, expected) => {
    await using server = await standIn(({ path }) => {
      if (path.endsWith("svcDocument")) return { json: { totalCount: 1, svcDocument: [{ id: 10 }] } };
      return path.endsWith("/task") ? { status: 404 } : parent;
    });
    const nested = { ...dialect, paths: { svcDocumentTask: "svcDocument/{parent}/task" } };
    await using opened = open(server.url, { dialect: nested });
    expect(await thrownBy(rowsOf(opened, "svcDocumentTask", { fields: ["name"] }))).toMatchObject(expected);
  });

  it("speaks the tenant's brand in paths, fields and rows", async () => {
    await using server = await standIn(() => ({
      json: { totalCount: 1, acmeDocument: [{ id: 1, acmeDocuments: [2] }] },
    }));
    await using opened = open(server.url, { dialect: { ...dialect, brand: "acme" } });
    expect(await rowsOf(opened, "svcDocument", { fields: ["svcDocuments"] })).toEqual([{ id: 1, svcDocuments: [2] }]);
    expect(server.seen[0]?.path).toBe("/restApi/v1/acmeDocument");
    expect(server.seen[0]?.query.get("fields")).toBe("id,acmeDocuments");
  });
});
