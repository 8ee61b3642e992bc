import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import type { SandboxOptions } from "#sandbox";
import type { ServiceDialect } from "#settings";
import { never, thrownBy } from "../kit/outcome.ts";
import { openTenant, rowsOf, type Tenant } from "./service-tenant.ts";

/** A tenant that differs from the known facts, and the settings that say so. */
const tenants: readonly (readonly [name: string, switches: SandboxOptions, settings: Partial<ServiceDialect>])[] = [
  ["as the facts know it", {}, {}],
  ["with the vendor's brand", { brand: "acme" }, { brand: "acme" }],
  ["that wraps lists in an array", { listWrapper: "array" }, { listWrapper: "array", totalKey: undefined }],
  ["that wraps lists under one key", { listWrapper: { key: "rows" } }, { listWrapper: { key: "rows" } }],
  ["with a wrapper key of its own", { listKeys: { customer: "kunden" } }, { listKeys: { customer: "kunden" } }],
  ["that does not count lists", { totalCount: "no" }, { totalKey: undefined }],
  ["that counts lists as they once were", { totalCount: "stale" }, {}],
  [
    "that pages by number from 1",
    { paging: { kind: "page", parameter: "page", first: 1 } },
    { paging: { kind: "page", parameter: "page", first: 1 } },
  ],
  [
    "that pages by number from 0",
    { paging: { kind: "page", parameter: "p", first: 0 } },
    { paging: { kind: "page", parameter: "p", first: 0 } },
  ],
  ["without sorting, newest first", { sorting: false, order: "newestFirst" }, { sort: undefined }],
  ["that ignores changedSince", { changedSince: false }, {}],
  ["that answers a create with an id", { createAnswer: "id" }, { createAnswer: "id" }],
  ["that answers a create with a Location", { createAnswer: "location" }, { createAnswer: "location" }],
  ["that answers a create with nothing", { createAnswer: "none" }, { createAnswer: "none" }],
  ["that answers a create with 201", { createStatus: 201 }, {}],
  ["that answers a create otherwise than configured", { createAnswer: "none" }, {}],
  ["whose records have another path", { recordPath: "{resource}/by/{id}" }, { recordPath: "{resource}/by/{id}" }],
  ["whose records are named by a query", { recordPath: "{resource}?id={id}" }, { recordPath: "{resource}?id={id}" }],
  ["that does not page", { paging: { kind: "none" } }, { paging: { kind: "none" } }],
  [
    "that neither pages nor counts",
    { paging: { kind: "none" }, totalCount: "no" },
    { paging: { kind: "none" }, totalKey: undefined },
  ],
  ["that answers 400 for a missing record", { notFound: "400" }, {}],
  ["that answers nothing for a missing record", { notFound: "empty" }, {}],
  ["that answers null for a missing record", { notFound: "null" }, {}],
  ["that refuses array actions", { arrayUpdate: "refused" }, {}],
  ["that ignores array actions", { arrayUpdate: "ignored" }, {}],
  ["that takes array actions for the whole array", { arrayUpdate: "wholeArray" }, {}],
  ["whose arrays are merged", { arrayUpdate: "refused" }, { arrayUpdate: "merge" }],
  ["that shows links as objects", { links: "object" }, {}],
  ["with another spelling of a path", { paths: { customer: "kunde" } }, { paths: { customer: "kunde" } }],
];

describe.each(tenants)("the client on a tenant %s", (_name, switches, settings) => {
  let tenant: Tenant;
  const customerIds: number[] = [];
  beforeAll(async () => {
    tenant = await openTenant(switches, settings);
  });
  afterAll(() => tenant[Symbol.asyncDispose]());
  /** The new record's id, which no answer tells where it says nothing. */
  const create = async (resource: string, fields: JsonObject): Promise<number> => {
    const creating = tenant.service.create(resource, fields, never);
    if (switches.createAnswer !== "none") {
      const { serviceId, dropped } = await creating;
      expect(dropped).toEqual([]);
      return serviceId;
    }
    expect(await thrownBy(creating)).toMatchObject({ code: "E_CREATE_UNKNOWN", outcomeUnknown: true });
    return tenant.sandbox.records(resource).at(-1)?.id ?? 0;
  };

  it("creates each record once, and knows its id where the answer tells it", async () => {
    for (let at = 0; at < 60; at++) customerIds.push(await create("customer", tenant.customer(at)));
    const stored = tenant.sandbox.records("customer");
    expect(stored.map(({ id }) => id)).toEqual(customerIds);
    expect(stored.map((record) => record["customerId"])).toEqual(customerIds.map((_, at) => `K-${at}`));
  });

  it("lists every record once with the fields that were asked for", async () => {
    const rows = await rowsOf(tenant, "customer", ["customerId"]);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(customerIds));
    expect(rows).toHaveLength(60);
    expect(new Set(rows.map((row) => row["customerId"])).size).toBe(60);
  });

  it("reads one record, and finds none where there is none", async () => {
    const record = await tenant.service.read("customer", customerIds[0] ?? 0, ["name", "customerId"], never);
    expect(record).toMatchObject({ id: customerIds[0], name: "Kunde 0", customerId: "K-0" });
    expect(await tenant.service.read("customer", 999_999_999, ["name"], never)).toBeUndefined();
  });

  it("edits only what is given, and tells what was dropped", async () => {
    const id = customerIds[1] ?? 0;
    const edit = { fields: { name: "Neu", created: "2020-01-01T00:00:00.000Z" }, arrays: {} };
    const written = await tenant.service.update("customer", id, edit, never);
    expect(written.dropped.map(({ field }) => field)).toEqual(["created"]);
    expect(tenant.sandbox.record("customer", id)).toMatchObject({ name: "Neu", customerId: "K-1" });
  });

  it("says that a record is gone when it is edited and not there", async () => {
    const edit = tenant.service.update("customer", 999_999_999, { fields: { name: "x" }, arrays: {} }, never);
    expect(await thrownBy(edit)).toMatchObject({ code: "E_RECORD_GONE" });
  });

  it("looks reference data up by name", async () => {
    const id = await tenant.service.lookup("priority", "name", "High", never);
    expect(id).toBe(tenant.named("priority", "High"));
    expect(await thrownBy(tenant.service.lookup("priority", "name", "Highest", never))).toMatchObject({
      code: "E_LOOKUP_UNKNOWN",
      details: { names: ["High", "Low", "Normal"] },
    });
  });

  it("adds and removes its own tags and leaves the others'", async () => {
    const [vip, montage, garantie] = ["VIP", "Montage", "Garantie"].map((name) => tenant.named("tag", name));
    const [ticket] = tenant.sandbox.seed("ticket", [
      {
        description: "x",
        priority: tenant.named("priority", "Low"),
        ticketStatus: tenant.named("ticketStatus", "Open"),
        tags: [vip ?? 0, montage ?? 0],
      },
    ]);
    const patch = { fields: {}, arrays: { tags: { add: [garantie ?? 0], remove: [montage ?? 0] } } };
    for (let round = 0; round < 2; round++) {
      const { dropped } = await tenant.service.update("ticket", ticket?.id ?? 0, patch, never);
      expect(dropped).toEqual([]);
      expect(tenant.sandbox.record("ticket", ticket?.id ?? 0)?.["tags"]).toEqual([vip, garantie]);
    }
  });

  it("deletes, and takes what is gone for deleted", async () => {
    const id = customerIds.at(-1) ?? 0;
    await tenant.service.remove("customer", id, never);
    expect(tenant.sandbox.record("customer", id)).toBeUndefined();
    await tenant.service.remove("customer", id, never);
  });
});
