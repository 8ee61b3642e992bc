import { expect, it } from "vitest";
import { startSandbox } from "#sandbox";
import { upsert } from "../conformance/store-scene.ts";
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
    deleted: { when: "gone = 1", delete: true }
    fields:
      customerId: number
      name: number
`);

it("a deleted record of a lost store is looked for again where a gateway refused the look", async () => {
  await using sandbox = await startSandbox();
  await using rig = await DeliveryRig.open(sandbox);
  const [held] = sandbox.seed("customer", [{ customerId: "7", name: "7" }]);
  await rig.stage("customers", [upsert("7", { number: "7", gone: 1 })]);
  sandbox.faults.add({ kind: "gateway404", method: "GET", path: `*/customer/${held!.id}?*`, count: 1 });
  await rig.run(streams);
  expect((await rig.store.record({ stream: "customers", key: "7" }))!.state).toBe("deleted");
  expect(sandbox.records("customer")).toEqual([]);
});
