import { describe, expect, it } from "vitest";
import type { JsonObject } from "#model";
import { RestoredRecords } from "#pipeline";
import { customer } from "../conformance/store-scene.ts";
import { never } from "../kit/outcome.ts";
import { load } from "../mapping/sample.ts";
import { DeliveryScene, syncFile } from "./delivery-scene.ts";

const id = customer("10");
const row = { number: "10", name: "Old" };

/** What the service got from a version of the store that no longer exists: the ERP has gone back to the old value since. */
function written(scene: DeliveryScene, serviceId: number, more: JsonObject = { name: "New" }) {
  const { sandbox } = scene.tenant;
  sandbox.seed("customer", [{ ...sandbox.record("customer", serviceId), ...more }]);
}

function compare(scene: DeliveryScene): Promise<number> {
  const stream = load(syncFile("", "[customerId]")).streams.find(({ name }) => name === "customers")!;
  const { store, clock, tenant } = scene;
  return new RestoredRecords({ store, clock, service: tenant.service }).compare(stream, never);
}

const nameOf = (scene: DeliveryScene, serviceId: number) =>
  scene.tenant.sandbox.record("customer", serviceId)?.["name"];

describe("a store that was put back", () => {
  it("writes again what the ERP took back since, and notes what it replaces", async () => {
    await using scene = await DeliveryScene.open();
    const { id: serviceId } = await scene.inService(id, row);
    written(scene, serviceId);
    expect(await compare(scene)).toBe(1);

    expect(await scene.settle(id)).toMatchObject({ state: "applied", inFlight: undefined });
    expect(nameOf(scene, serviceId)).toBe("Old");
    const entries = await scene.store.audit({ id, limit: 10 });
    expect(entries).toContainEqual(
      expect.objectContaining({ action: "repair", before: { name: "New" }, after: { name: "Old" } }),
    );
    expect(await compare(scene)).toBe(0);
  });

  it("does so for a record that was due", async () => {
    await using scene = await DeliveryScene.open();
    const { id: serviceId } = await scene.inService(id, row);
    await scene.erp(id, { ...row, name: "New" });
    written(scene, serviceId);
    expect(await compare(scene)).toBe(1);
    await scene.erp(id, row);

    await scene.settle(id);
    expect(nameOf(scene, serviceId)).toBe("Old");
  });

  it("does so for a record that was parked, once it is delivered", async () => {
    await using scene = await DeliveryScene.open();
    const { id: serviceId } = await scene.inService(id, row);
    await scene.erp(id, { ...row, name: "Refused" });
    await scene.store.end(await scene.claim(id), {
      kind: "park",
      error: { code: "E_MAPPING", message: "odd", details: {} },
    });
    expect(await scene.store.record(id)).toMatchObject({ state: "parked" });
    written(scene, serviceId);
    expect(await compare(scene)).toBe(1);
    expect(await scene.store.record(id)).toMatchObject({ state: "parked" });
    await scene.erp(id, row);

    await scene.settle(id);
    expect(nameOf(scene, serviceId)).toBe("Old");
  });

  it("finds out that a record is gone", async () => {
    await using scene = await DeliveryScene.open();
    const { id: serviceId } = await scene.inService(id, row);
    await scene.inService(customer("11"), { number: "11", name: "Stays" });
    scene.tenant.sandbox.vanish("customer", serviceId);
    expect(await compare(scene)).toBe(1);
    expect(await scene.settle(id)).toMatchObject({ state: "parked", error: { code: "E_RECORD_GONE" } });
  });

  it("leaves alone what a person changed before its last write", async () => {
    await using scene = await DeliveryScene.open();
    const { id: serviceId } = await scene.inService(id, row);
    const modified = new Date(Date.now() - 60 * 60_000).toISOString();
    written(scene, serviceId, { name: "By a person", modified });

    expect(await compare(scene)).toBe(0);
    expect(nameOf(scene, serviceId)).toBe("By a person");
  });
});
