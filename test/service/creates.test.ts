import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "#model";
import type { ServiceDialect } from "#settings";
import { bodyOf, dialect, open, standIn, type Reply, type Seen } from "./stand-in.ts";
import { never, thrownBy } from "../kit/outcome.ts";

const customer = { name: "A", customerStatus: 1, customerId: "10023" };

const createWith = async (reply: Reply, changes: Partial<ServiceDialect> = {}, body = customer) => {
  await using server = await standIn(({ method, path }) => {
    if (method === "POST") return reply;
    return path.endsWith("/customer/7") ? { json: { id: 7, ...customer } } : undefined;
  });
  await using opened = open(server.url, { dialect: { ...dialect, ...changes } });
  return { written: await opened.service.create("customer", body, never), seen: server.seen };
};

/** A create that is answered `json`, on a tenant that shows these records and no others. */
const createAmong = async (json: Json, records: readonly JsonObject[]) => {
  await using server = await standIn(({ method, path }) => {
    if (method === "POST") return { json };
    const id = Number(path.split("/").at(-1));
    if (Number.isNaN(id)) return { json: { totalCount: records.length, customer: [...records] } };
    const record = records.find((candidate) => candidate["id"] === id);
    return record ? { json: record } : { status: 404 };
  });
  await using opened = open(server.url);
  return await opened.service.create("customer", customer, never);
};

describe("creating", () => {
  it("POSTs the body once, and asks the answer to show what was sent", async () => {
    const { written, seen } = await createWith({ json: { id: 7, ...customer } });
    expect(written).toMatchObject({ serviceId: 7, dropped: [], status: 200 });
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /restApi/v1/customer"]);
    expect(seen[0]?.query.get("fields")).toBe("id,name,customerStatus,customerId");
    expect(seen[0]?.body).toEqual(customer);
  });

  it("tells which fields the answer shows otherwise or not at all", async () => {
    const { written } = await createWith({ json: { id: 7, name: "A", customerStatus: { id: 1, name: "Active" } } });
    expect(written.dropped).toEqual([{ field: "customerId", sent: "10023", found: undefined }]);
  });

  it.each<[string, Reply, Partial<ServiceDialect>]>([
    ["a bare id", { json: 7 }, { createAnswer: "id" }],
    ["an id as text", { json: "7" }, { createAnswer: "id" }],
    ["an object with an id", { json: { id: 7 } }, { createAnswer: "id" }],
    ["a record below the resource's name", { json: { customer: { id: 7, ...customer } } }, {}],
    ["a record below result", { json: { result: { id: 7, ...customer } } }, {}],
    [
      "a Location header",
      { status: 201, headers: { location: "/restApi/v1/customer/7" } },
      { createAnswer: "location" },
    ],
    ["an id although a record was expected", { json: { id: 7 } }, {}],
  ])("reads the new id from %s, and then reports nothing as dropped", async (_, reply, changes) => {
    const { written } = await createWith(reply, changes);
    expect(written).toMatchObject({ serviceId: 7, dropped: [] });
  });

  it.each<[string, Json]>([
    ["zero", { id: 0, ...customer }],
    ["a negative number", { id: -1, ...customer }],
    ["no whole number", { id: 1.5, ...customer }],
    ["too large for any id", { id: 1e30, ...customer }],
    ["too large for a number to keep exactly", { id: 9_007_199_254_740_992, ...customer }],
    ["text with more digits than a number keeps", { id: "90071992547409931", ...customer }],
    ["a bare number that is nobody's id", 12],
    ["a bare number that is another record's id", 8],
    ["an id without a record that is another record's", { id: 8 }],
  ])("does not believe an answered id that is %s: the outcome is unknown", async (_, json) => {
    const records = [
      { id: 7, ...customer },
      { id: 8, ...customer, customerId: "other" },
    ];
    expect(await thrownBy(createAmong(json, records))).toMatchObject({
      code: "E_CREATE_UNKNOWN",
      outcomeUnknown: true,
    });
  });

  it.each([
    ["all of them", [11, 12], []],
    ["fewer", [11], ["tasks"]],
  ])(
    "compares records that it embeds by their number, since the answer shows ids: %s",
    async (_name, tasks, dropped) => {
      await using server = await standIn(() => ({ json: { id: 7, customer: 1, tasks } }));
      await using opened = open(server.url);
      const sent = { customer: 1, tasks: [{ name: "A" }, { name: "B" }] };
      const written = await opened.service.create("svcDocument", sent, never);
      expect(written.dropped.map(({ field }) => field)).toEqual(dropped);
    },
  );

  it("believes an id whose record shows nothing for a key that was sent blank", async () => {
    const record = { id: 7, name: "A", customerId: null };
    await using server = await standIn(({ method }) => ({ json: method === "POST" ? 7 : record }));
    await using opened = open(server.url, { dialect: { ...dialect, createAnswer: "id" } });
    const written = await opened.service.create("customer", { name: "A", customerId: " " }, never);
    expect(written.serviceId).toBe(7);
  });

  it("leaves the outcome unknown when the record behind the answered id cannot be read now", async () => {
    await using server = await standIn(({ method }) => (method === "POST" ? { json: 7 } : { status: 429 }));
    await using opened = open(server.url);
    const thrown = await thrownBy(opened.service.create("customer", customer, never));
    expect(thrown).toMatchObject({ code: "E_CREATE_UNKNOWN", outcomeUnknown: true });
  });

  it("combines custom fields, by id and by name, into one list", async () => {
    const fields = [
      { id: 31, name: "Cost centre", parentType: "CUSTOMER" },
      { id: 32, name: "Cost centre", parentType: "TICKET" },
    ];
    const answer = (request: Seen): Reply =>
      request.method === "POST"
        ? { json: { id: 7, name: "A", customFields: bodyOf(request)["customFields"] ?? null } }
        : { json: { totalCount: 2, offset: 0, limit: 50, customField: fields } };
    await using server = await standIn(answer);
    await using opened = open(server.url);
    const body = { name: "A", "customFields.12": 5, "customFields.Cost centre": "4711" };
    const written = await opened.service.create("customer", body, never);
    const post = server.seen.find(({ method }) => method === "POST");
    expect(post?.body).toEqual({
      name: "A",
      customFields: [
        { id: 12, value: 5 },
        { id: 31, value: "4711" },
      ],
    });
    expect(post?.query.get("fields")).toBe("id,name,customFields.id,customFields.value");
    expect(written.dropped).toEqual([]);
  });

  it("leaves the outcome unknown when the answer says nothing", async () => {
    await using server = await standIn(() => ({ status: 200 }));
    await using opened = open(server.url, { dialect: { ...dialect, createAnswer: "none" } });
    const thrown = await thrownBy(opened.service.create("customer", customer, never));
    expect(thrown).toMatchObject({ family: "retry", code: "E_CREATE_UNKNOWN", outcomeUnknown: true });
    expect(server.seen.map(({ method }) => method)).toEqual(["POST"]);
  });

  it.each<[string, Reply, object]>([
    [
      "no longer there",
      { status: 404 },
      { code: "E_SERVICE_REFUSED", message: expect.stringContaining("svcDocument 3") },
    ],
    ["there", { json: { id: 3 } }, { code: "E_RESOURCE_UNKNOWN" }],
  ])("names the record above where it is %s, when a nested create is answered 404", async (_, parent, expected) => {
    await using server = await standIn(({ method }) => (method === "POST" ? { status: 404 } : parent));
    const nested = { ...dialect, paths: { svcDocumentTask: "svcDocument/{parent}/task" } };
    await using opened = open(server.url, { dialect: nested });
    const thrown = await thrownBy(opened.service.create("svcDocumentTask", { svcDocument: 3, name: "T" }, never));
    expect(thrown).toMatchObject({ family: "park", ...expected });
  });

  it("creates below the record above where the dialect nests the resource, without repeating it in the body", async () => {
    await using server = await standIn(() => ({ json: { id: 7, name: "T" } }));
    const nested = { ...dialect, paths: { svcDocumentTask: "svcDocument/{parent}/task" } };
    await using opened = open(server.url, { dialect: nested });
    await opened.service.create("svcDocumentTask", { svcDocument: 3, name: "T" }, never);
    await opened.service.update("svcDocumentTask", 7, { fields: { name: "T" }, arrays: {} }, never);
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /restApi/v1/svcDocument/3/task",
      "PUT /restApi/v1/svcDocument/3/task/7",
    ]);
    expect(server.seen[0]?.body).toEqual({ name: "T" });
  });
});
