import { describe, expect, it, vi } from "vitest";
import { respelledNote } from "../../src/pipeline/notes.ts";
import { contact, customer } from "../conformance/store-scene.ts";
import { DeliveryScene } from "./delivery-scene.ts";

const id = customer("10");
const row = { number: "10", name: "Muster" };

/** What the service is asked to create for a row. */
const projection = (scene: DeliveryScene, { number, name } = row) => ({
  customerId: number,
  name,
  customerStatus: scene.tenant.named("customerStatus", "Active"),
});

/** Delivers an open create until its settling time has ended. */
async function settleCreate(scene: DeliveryScene, of = id) {
  await scene.deliver(of);
  scene.clock.advance(2_000);
  return scene.deliver(of);
}

describe("a create", () => {
  it("that was refused is over: another record may have its natural key", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    scene.fault({ kind: "gateway404", status: 400, method: "POST", count: 1 });

    expect(await scene.deliver(id)).toMatchObject({ state: "due", intent: undefined });
    await scene.erp(customer("11"), row);
    expect(await scene.deliver(customer("11"))).toMatchObject({ state: "applied", error: undefined });
    expect(scene.tenant.sandbox.records("customer")).toHaveLength(1);
  });

  it("that the service answers with no id is known to be carried out", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    scene.fault({ kind: "oddId", id: 0, method: "POST", count: 1 });

    expect(await scene.deliver(id)).toMatchObject({ intent: { answered: true }, binding: undefined });
  });

  it.each(["customerId", "name"])(
    "notes that the service keeps a field otherwise if records are matched by it: %s",
    async (field) => {
      await using scene = await DeliveryScene.open();
      const { service } = scene.tenant;
      const create = service.create.bind(service);
      vi.spyOn(service, "create").mockImplementationOnce(async (...of) => ({
        ...(await create(...of)),
        dropped: [{ field, sent: "10", found: "0010" }],
      }));
      const { id: serviceId } = await scene.inService(id, row);

      expect(await scene.store.note(respelledNote("customers", field))).toEqual(
        field === "customerId" ? { resource: "customer", serviceId } : undefined,
      );
    },
  );

  it("that was carried out is in the audit trail, with what was sent and what was answered", async () => {
    await using scene = await DeliveryScene.open();
    const { id: serviceId } = await scene.inService(id, row);

    expect(await scene.store.audit({ id, limit: 10 })).toMatchObject([
      { action: "create", resource: "customer", serviceId, after: projection(scene), outcome: "created", status: 200 },
    ]);
  });
});

describe("an open create", () => {
  it("of a stream without match rules is uncertain: it cannot be looked for", async () => {
    await using scene = await DeliveryScene.open();
    const anna = contact("7");
    await scene.inService(id, row);
    await scene.erp(anna, { number: "7", name: "Anna", customer: "10" });
    const claim = await scene.claim(anna);
    await scene.store.begin(claim, { resource: "customerContact", projection: { name: "Anna" } });
    await scene.store.end(claim, { kind: "release" });

    expect(await scene.deliver(anna)).toMatchObject({
      state: "uncertain",
      error: { message: expect.stringMatching(/its result is unknown; the stream has no match rule/) },
    });
    expect(scene.writes()).toEqual([]);
  });

  it("is uncertain where its natural key is there in another spelling, and names what has it", async () => {
    await using scene = await DeliveryScene.open();
    const lower = { number: "a-10", name: "Muster" };
    const [near, gone] = scene.tenant.sandbox.seed("customer", [projection(scene, lower), projection(scene, lower)]);
    await scene.erp(id, { ...row, number: "A10" });
    await scene.dies(id, projection(scene, { ...row, number: "A10" }));
    await scene.deliver(id);
    scene.tenant.sandbox.vanish("customer", gone!.id);
    scene.clock.advance(2_000);

    expect(await scene.deliver(id)).toMatchObject({
      state: "uncertain",
      error: { code: "E_CREATE_UNCERTAIN", details: { candidates: [near!.id] } },
    });
    expect(scene.writes()).toEqual([]);
  });

  it("is created again where what had its natural key in another spelling was deleted", async () => {
    await using scene = await DeliveryScene.open();
    const [near] = scene.tenant.sandbox.seed("customer", [projection(scene, { ...row, number: "a-10" })]);
    await scene.erp(id, { ...row, number: "A10" });
    await scene.dies(id, projection(scene, { ...row, number: "A10" }));
    await scene.deliver(id);
    scene.clock.advance(2_000);
    scene.tenant.sandbox.vanish("customer", near!.id);

    expect(await scene.settle(id)).toMatchObject({ state: "applied", intent: undefined });
    expect(scene.writes()).toEqual(["POST customer"]);
  });

  it.each([
    { what: "is uncertain while the service keeps a match field otherwise than it is sent", held: "0009" },
    { what: "is created again where only one answer was odd", held: "9" },
  ])("$what", async ({ held }) => {
    await using scene = await DeliveryScene.open();
    const nine = { number: "9", name: "Other" };
    const { id: serviceId } = await scene.inService(customer("9"), nine);
    const note = respelledNote("customers", "customerId");
    await scene.store.saveNote(note, { resource: "customer", serviceId });
    scene.tenant.sandbox.seed("customer", [{ id: serviceId, ...projection(scene, { ...nine, number: held }) }]);
    await scene.erp(id, row);
    await scene.dies(id, projection(scene));

    const { state, error } = await settleCreate(scene);
    const isKept = held === "9";
    expect({ state, field: error?.details["field"] }).toEqual(
      isKept ? { state: "applied", field: undefined } : { state: "uncertain", field: "customerId" },
    );
    expect(await scene.store.note(note)).toEqual(isKept ? undefined : { resource: "customer", serviceId });
    expect(scene.writes()).toEqual(isKept ? ["POST customer"] : []);
  });

  it("that is settled lets go of its natural key", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    await scene.dies(id, projection(scene));
    scene.fault({ kind: "gateway404", status: 400, method: "POST", count: 1 });
    expect(await settleCreate(scene)).toMatchObject({ state: "due", intent: undefined });

    await scene.erp(customer("11"), row);
    expect(await scene.deliver(customer("11"))).toMatchObject({ state: "applied" });
  });
});
