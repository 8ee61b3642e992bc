import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { Reconciler } from "#pipeline";
import { startSandbox, type Sandbox, type SandboxOptions } from "#sandbox";
import { upsert } from "../conformance/store-scene.ts";
import { never } from "../kit/outcome.ts";
import { DeliveryRig, streamsOf } from "./delivery-rig.ts";

const streams = streamsOf(`
sources:
  erp: { adapter: sql, url: "sqlite:erp.db" }
streams:
  customers:
    source: erp
    read: { table: customers, key: number }
    resource: customer
    match: [customerId]
    gone: recreate
    fields:
      customerId: number
      name: name
      customerStatus: { lookup: customerStatus, by: name, value: { const: Active } }
  contacts:
    source: erp
    read: { table: contacts, key: number }
    resource: customerContact
    match: [customer, email]
    fields: { name: name, email: email, customer: { ref: customers, key: customer } }
  sites:
    source: erp
    read: { table: sites, key: number }
    resource: customerLocation
    match: [customer, street]
    fields:
      name: name
      street: street
      zipcode: { const: "1" }
      city: { const: "A" }
      customer: { ref: customers, key: customer }
`);
const contact = { stream: "contacts", key: "c" };
const site = { stream: "sites", key: "s" };
const ofContact = (customer: string, name = "A") => ({ number: "c", name, email: "a@x.test", customer });
const ofSite = (customer: string, name = "A", street = "B") => ({ number: "s", name, street, customer });

/** Two customers, and a contact and a site of the first one. */
async function scene(options: SandboxOptions = {}) {
  const sandbox = await startSandbox(options);
  const rig = await DeliveryRig.open(sandbox);
  const erp = async (stream: string, key: string, row: JsonObject) => {
    await rig.stage(stream, [upsert(key, row)]);
    await rig.run(streams);
  };
  await rig.stage("customers", [upsert("1", { number: "1", name: "One" }), upsert("2", { number: "2", name: "Two" })]);
  await erp("contacts", "c", ofContact("1"));
  await erp("sites", "s", ofSite("1"));
  sandbox.ledger.clear();
  const customerOf = (resource: string) => {
    const [record] = sandbox.records(resource);
    return sandbox.record("customer", Number(record!["customer"]))?.["customerId"];
  };
  const drifts = async () => {
    const reconciler = new Reconciler(rig.store, rig.service, new Map());
    const results = [];
    for (const stream of streams) results.push(...(await reconciler.reconcile(stream, undefined, never)).drifts);
    return results;
  };
  return {
    sandbox,
    rig,
    erp,
    customerOf,
    drifts,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

const moves = (sandbox: Sandbox) => sandbox.ledger.requests().filter(({ url }) => url.includes("/move"));

describe("a contact that the ERP gives another customer", () => {
  it("is moved, and nothing differs from what was written", async () => {
    await using on = await scene();
    await on.erp("contacts", "c", ofContact("2"));
    const view = (await on.rig.store.record(contact))!;
    expect({ state: view.state, customer: on.customerOf("customerContact") }).toEqual({
      state: "applied",
      customer: "2",
    });
    expect(await on.drifts()).toEqual([]);
    expect(moves(on.sandbox)).toHaveLength(1);
  });

  it("is moved once, and not forgotten, where the answer of the move is lost", async () => {
    await using on = await scene();
    on.sandbox.faults.add({ kind: "cut", when: "after", path: "*/move", count: 1 });
    await on.erp("contacts", "c", ofContact("2", "B"));
    const view = (await on.rig.store.record(contact))!;
    expect({ state: view.state, customer: on.customerOf("customerContact") }).toEqual({
      state: "applied",
      customer: "2",
    });
    expect(on.sandbox.records("customerContact")).toMatchObject([{ name: "B" }]);
    expect(moves(on.sandbox)).toHaveLength(1);
  });

  it("goes back where the ERP takes the move back after the rest of the edit was refused", async () => {
    await using on = await scene();
    on.sandbox.faults.add({ kind: "gateway404", status: 400, method: "PUT", path: "*/customerContact/*?*" });
    await on.erp("contacts", "c", ofContact("2", "B"));
    expect((await on.rig.store.record(contact))!.state).toBe("parked");
    expect(on.customerOf("customerContact")).toBe("2");
    on.sandbox.faults.clear();
    await on.erp("contacts", "c", ofContact("1"));
    expect(on.customerOf("customerContact")).toBe("1");
  });

  it("is parked with the reason where the service has no such action", async () => {
    await using on = await scene({ actions: false });
    await on.erp("contacts", "c", ofContact("2", "B"));
    const view = (await on.rig.store.record(contact))!;
    expect(view).toMatchObject({ state: "parked", error: { code: "E_MOVE_UNSUPPORTED" } });
    expect(on.customerOf("customerContact")).toBe("1");
    expect(view.inFlight).toBeUndefined();
    await on.erp("contacts", "c", ofContact("1", "B"));
    expect((await on.rig.store.record(contact))!.state).toBe("applied");
    expect(on.sandbox.records("customerContact")).toMatchObject([{ name: "B" }]);
  });

  it("follows its customer, which was deleted in the service and is created again", async () => {
    await using on = await scene();
    const [first] = on.sandbox.records("customer");
    on.sandbox.vanish("customer", first!.id);
    await on.erp("customers", "1", { number: "1", name: "One again" });
    expect(on.sandbox.records("customer").map(({ id }) => id)).not.toContain(first!.id);
    expect((await on.rig.store.record(contact))!.state).toBe("applied");
    expect(on.customerOf("customerContact")).toBe("1");
  });
});

describe("a reference, or a part of the natural key, that the service drops", () => {
  it("parks the record, which is written otherwise, until the ERP takes it back", async () => {
    await using on = await scene();
    const held = on.sandbox.records("customerLocation")[0]!["customer"];
    await on.erp("sites", "s", ofSite("2", "B"));
    const view = (await on.rig.store.record(site))!;
    expect(view).toMatchObject({
      state: "parked",
      error: { code: "E_FIELD_DROPPED", message: expect.stringContaining("customer (sent ") },
      applied: { name: "B", customer: held },
    });
    expect(on.sandbox.records("customerLocation")).toMatchObject([{ name: "B", customer: held }]);
    expect((await on.rig.writes(site)).at(-1)?.after).toEqual({ name: "B" });

    await on.erp("sites", "s", ofSite("1", "C"));
    expect(await on.rig.store.record(site)).toMatchObject({ state: "applied", applied: { name: "C", customer: held } });
    expect(await on.drifts()).toEqual([]);
  });

  it("parks it when it is dropped by a create, too", async () => {
    await using on = await scene();
    const keys = streamsOf(`
sources: { erp: { adapter: sql, url: "sqlite:erp.db" } }
streams:
  articles:
    source: erp
    read: { table: articles, key: number }
    resource: materialItem
    match: [number]
    fields: { name: name, number: number, link: { ref: others, key: other } }
  others:
    source: erp
    read: { table: others, key: number }
    resource: tag
    match: [name]
    fields: { name: number }
`);
    await on.rig.stage("others", [upsert("o", { number: "o" })]);
    await on.rig.stage("articles", [upsert("a", { number: "a", name: "A", other: "o" })]);
    await on.rig.run(keys);
    const view = (await on.rig.store.record({ stream: "articles", key: "a" }))!;
    expect(view).toMatchObject({ state: "parked", error: { code: "E_FIELD_DROPPED" }, applied: { name: "A" } });
    expect(on.sandbox.ledger.count({ method: "POST", resource: "materialItem" })).toBe(1);
  });
});
