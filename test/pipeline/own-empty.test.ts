import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { Reconciler, RestoredRecords } from "#pipeline";
import { startSandbox } from "#sandbox";
import { customer, upsert } from "../conformance/store-scene.ts";
import { never } from "../kit/outcome.ts";
import { load } from "../mapping/sample.ts";
import { isShownEmpty } from "../../src/pipeline/match/shown.ts";
import { DeliveryRig, streamsOf } from "./delivery-rig.ts";
import { DeliveryScene, syncFile } from "./delivery-scene.ts";

const id = customer("10");
const row = { number: "10", name: "Muster", remark: "from the ERP" };
const fields = "info: { from: remark, own: empty }";

const open = () => DeliveryScene.open("", "[customerId]", fields);
const infoOf = ({ tenant }: DeliveryScene, serviceId: number) => tenant.sandbox.record("customer", serviceId)?.["info"];

/** What a person enters in the service. */
function edits({ tenant: { sandbox } }: DeliveryScene, serviceId: number, more: JsonObject): void {
  sandbox.seed("customer", [{ ...sandbox.record("customer", serviceId), ...more }]);
}

/** A record that the service has before svcsync. */
function entered({ tenant }: DeliveryScene, info: string | null): number {
  const status = tenant.named("customerStatus", "Active");
  return tenant.sandbox.seed("customer", [{ customerId: "10", name: "Muster", customerStatus: status, info }])[0]!.id;
}

it.each<[string, JsonObject, boolean]>([
  ["info", { info: " " }, true],
  ["info", { info: 0 }, false],
  ["info", {}, false],
  ["customFields.7", {}, true],
  ["customFields.7", { customFields: [{ id: 8, value: "x" }] }, true],
  ["customFields.7", { customFields: [7, 8] }, false],
  ["customFields.7", { customFields: [{ id: 7, value: "x" }], "customFields.7": "x" }, false],
])("the service shows %s as empty in %j: %s", (field, record, expected) => {
  expect(isShownEmpty(record, field)).toBe(expected);
});

const remarked = (key: string, remark: string | null) => upsert(key, { number: key, name: "Muster", remark });

describe("a field that is only filled", () => {
  it("is written by a create", async () => {
    await using scene = await open();
    const { id: serviceId } = await scene.inService(id, row);
    expect(infoOf(scene, serviceId)).toBe("from the ERP");
  });

  it.each([
    [null, "from the ERP"],
    ["", "from the ERP"],
    ["a person's", "a person's"],
  ])("is filled in a record that was found, and never overwritten: %j", async (held, expected) => {
    await using scene = await open();
    const serviceId = entered(scene, held);
    await scene.erp(id, row);
    expect(await scene.settle(id)).toMatchObject({ state: "applied", binding: { serviceId } });
    expect(infoOf(scene, serviceId)).toBe(expected);

    await scene.erp(id, { ...row, name: "Muster AG", remark: "later" });
    expect(await scene.settle(id)).toMatchObject({ state: "applied", applied: { name: "Muster AG", info: expected } });
    expect(infoOf(scene, serviceId)).toBe(expected);
  });

  it("is read before it is written: a person may have filled it since", async () => {
    await using scene = await open();
    const { id: serviceId } = await scene.inService(id, { ...row, remark: null });
    edits(scene, serviceId, { info: "a person's" });
    await scene.erp(id, row);
    expect(await scene.settle(id)).toMatchObject({ state: "applied", applied: { info: "a person's" } });
    expect(infoOf(scene, serviceId)).toBe("a person's");
    expect(scene.writes()).toEqual([]);
  });

  it("is filled again after a person cleared it, with the next value of the ERP", async () => {
    await using scene = await open();
    const { id: serviceId } = await scene.inService(id, row);
    edits(scene, serviceId, { info: null });
    await scene.erp(id, { ...row, name: "Muster AG" });
    await scene.settle(id);
    expect(infoOf(scene, serviceId)).toBeNull();
    await scene.erp(id, { ...row, remark: "later" });
    await scene.settle(id);
    expect(infoOf(scene, serviceId)).toBe("later");
  });

  it("is not emptied when the ERP empties it", async () => {
    await using scene = await open();
    const { id: serviceId } = await scene.inService(id, row);
    await scene.erp(id, { ...row, remark: null });
    await scene.settle(id);
    expect(infoOf(scene, serviceId)).toBe("from the ERP");
    expect(scene.writes()).toEqual([]);
  });

  it("does not bring back a record that is gone when it is looked at", async () => {
    await using scene = await open();
    const { id: serviceId } = await scene.inService(id, row);
    scene.tenant.sandbox.vanish("customer", serviceId);
    await scene.erp(id, { ...row, remark: "later" });
    expect(await scene.settle(id)).toMatchObject({ state: "parked", error: { code: "E_RECORD_GONE" } });
  });

  it("is no drift, and is left alone after the store was put back", async () => {
    await using scene = await open();
    const { id: serviceId } = await scene.inService(id, row);
    edits(scene, serviceId, { info: "a person's" });
    const stream = load(syncFile("", "[customerId]", fields)).streams.find(({ name }) => name === "customers")!;
    const { store, clock, tenant } = scene;
    const { service } = tenant;
    expect(await new RestoredRecords({ store, clock, service }).compare(stream, never)).toBe(0);
    const { drifts, compared } = await new Reconciler(store, service, new Map()).reconcile(stream, undefined, never);
    expect({ compared, drifts }).toEqual({ compared: 1, drifts: [] });
  });

  it("is planned by what was last seen", async () => {
    await using sandbox = await startSandbox();
    await using rig = await DeliveryRig.open(sandbox);
    const words = { source: "erp", read: { table: "t", key: "k" }, resource: "customer", match: ["customerId"] };
    const streams = streamsOf(
      JSON.stringify({
        sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } },
        streams: {
          customers: {
            ...words,
            fields: {
              customerId: "number",
              name: "name",
              customerStatus: { lookup: "customerStatus", value: { const: "Active" } },
              info: { from: "remark", own: "empty" },
            },
          },
        },
      }),
    );
    await rig.stage("customers", [remarked("1", "ours"), remarked("2", null)]);
    await rig.run(streams);
    await rig.stage("customers", [remarked("1", "later"), remarked("2", "later")]);
    const planner = await rig.planner(streams);
    const planned = [];
    for await (const { verdict, fields: of, reason } of planner.plan("customers", never))
      planned.push({ verdict, fields: of, reason });
    const reason = "fields with own: empty are written only if the service still has no value there";
    expect(planned).toEqual([
      { verdict: "unchanged", fields: [], reason: undefined },
      { verdict: "update", fields: [{ field: "info", before: null, after: "later" }], reason },
    ]);
    await rig.run(streams);
    const views = await rig.views(streams);
    expect(views.map(({ applied }) => applied?.["info"])).toEqual(["ours", "later"]);
  });
});
