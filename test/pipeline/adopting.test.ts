import { describe, expect, it, vi } from "vitest";
import { startSandbox } from "#sandbox";
import { customer, upsert } from "../conformance/store-scene.ts";
import { DeliveryRig, streamsOf } from "./delivery-rig.ts";
import { DeliveryScene } from "./delivery-scene.ts";

const id = customer("10");
const other = customer("11");
const row = { number: "10", name: "Muster" };
/** Another record of the ERP with the name and, unless it says otherwise, the number of the first one. */
const twin = { ...row, seen: "later" };
const BY_NAME = "{ fields: [name], shared: true }";

/** What the service holds for a row. */
const held = (scene: DeliveryScene, { number, name } = row) => ({
  customerId: number,
  name,
  customerStatus: scene.tenant.named("customerStatus", "Active"),
});

const customers = (scene: DeliveryScene) => scene.tenant.sandbox.records("customer");

/** A delivery that has created its record and not heard of it yet. */
async function creating(scene: DeliveryScene) {
  scene.fault({ kind: "latency", ms: 1_500, when: "after", method: "POST", count: 1 });
  const ended = scene.deliver(id);
  await vi.waitFor(() => expect(customers(scene)).toHaveLength(1), 120_000);
  // The index is read now.
  scene.clock.advance(1);
  return { ended };
}

/** A create of which nothing is known: it did not reach the service. */
async function lost(scene: DeliveryScene, of = id) {
  scene.fault({ kind: "cut", when: "before", method: "POST", count: 1 });
  expect((await scene.deliver(of)).intent).toBeDefined();
  scene.clock.advance(60_000);
}

/** One of so many records, which the index names by its former number. */
async function renumbered(scene: DeliveryScene, count: 1 | 2) {
  const { sandbox } = scene.tenant;
  const [stays, moves] = sandbox.seed("customer", count === 1 ? [held(scene)] : [held(scene), held(scene)]);
  await scene.inService(customer("9"), { number: "9", name: "Nine" });
  const { id: serviceId } = moves ?? stays!;
  sandbox.seed("customer", [{ id: serviceId, ...held(scene), customerId: "77" }]);
  return { serviceId, stays: stays! };
}

describe("a record that got another natural key after the index was read", () => {
  it("is left to the record of the ERP that has this key", async () => {
    await using scene = await DeliveryScene.open();
    const { serviceId } = await renumbered(scene, 1);
    await scene.erp(id, row);
    expect(await scene.settle(id)).toMatchObject({ state: "applied" });
    await scene.erp(customer("77"), { ...row, number: "77" });

    expect(await scene.settle(customer("77"))).toMatchObject({ state: "applied", binding: { serviceId } });
    expect(customers(scene).map(({ customerId }) => customerId)).toEqual(["77", "9", "10"]);
  });

  it("leaves no doubt which record is meant", async () => {
    await using scene = await DeliveryScene.open();
    const { stays } = await renumbered(scene, 2);
    await scene.erp(id, row);

    expect(await scene.settle(id)).toMatchObject({ state: "applied", binding: { serviceId: stays.id } });
  });
});

describe("what a create has made and not bound yet", () => {
  it.each(["[customerId]", BY_NAME])("is not adopted for another record with its key: %s", async (match) => {
    await using scene = await DeliveryScene.open("", match);
    await scene.erp(id, row);
    await scene.erp(other, twin);
    const created = await creating(scene);

    expect(await scene.deliver(other)).toMatchObject({ state: "waiting", error: { code: "E_MATCH_TAKEN" } });
    expect(await created.ended).toMatchObject({ state: "applied", error: undefined });
  });

  it("is not taken for the result of another create that only resembles it", async () => {
    await using scene = await DeliveryScene.open("", BY_NAME);
    await scene.erp(other, twin);
    await lost(scene, other);
    await scene.erp(id, row);
    const created = await creating(scene);

    expect(await scene.deliver(other)).toMatchObject({ binding: undefined, error: { code: "E_CREATE_UNSETTLED" } });
    expect(await created.ended).toMatchObject({ state: "applied", error: undefined });
    scene.clock.advance(2_000);
    expect(await scene.settle(other)).toMatchObject({ state: "applied" });
    expect(customers(scene)).toHaveLength(2);
  });
});

describe("a record that the service has and shows only by its id", () => {
  const shown = { kind: "gateway404", status: 400, method: "GET", path: "*/customer/*?fields=id%2C*" } as const;

  it("is not created a second time for the ERP's record with its key", async () => {
    await using scene = await DeliveryScene.open();
    await scene.inService(other, twin);
    scene.tenant.sandbox.seed("customer", [{ ...held(scene), customerId: "12" }]);
    scene.fault(shown);
    // The index is read now.
    scene.clock.advance(1);
    await scene.erp(customer("12"), { ...row, number: "12" });
    await scene.deliver(customer("12"));
    scene.clock.advance(60_000);

    expect(await scene.deliver(customer("12"))).toMatchObject({
      state: "parked",
      error: { code: "E_SERVICE_REFUSED", message: expect.stringContaining("answered 400") },
    });
    expect(customers(scene)).toHaveLength(2);
  });

  it("is not taken for another spelling after a create without an answer", async () => {
    await using scene = await DeliveryScene.open();
    await scene.inService(other, { ...twin, number: "11" });
    scene.fault({ kind: "cut", when: "after", method: "POST", count: 1 });
    scene.fault(shown);
    await scene.erp(id, row);
    for (let count = 0; count < 4; count++) {
      await scene.deliver(id);
      scene.clock.advance(60_000);
    }

    const { state, error, intent } = (await scene.store.record(id))!;
    expect({ state, code: error?.code, message: error?.message }).toEqual({
      state: "parked",
      code: "E_SERVICE_REFUSED",
      message: expect.stringContaining("answered 400"),
    });
    expect(intent).toBeDefined();
    expect(customers(scene)).toHaveLength(2);
  });
});

it("creates the second of two records that find the same one at once", async () => {
  await using scene = await DeliveryScene.open("", BY_NAME);
  scene.tenant.sandbox.seed("customer", [held(scene)]);
  await scene.erp(id, row);
  await scene.erp(other, twin);
  scene.fault({ kind: "latency", ms: 300, method: "GET", path: "*/customer/*", count: 2 });
  await Promise.all([scene.deliver(id), scene.deliver(other)]);

  expect([await scene.settle(id), await scene.settle(other)]).toMatchObject([
    { state: "applied" },
    { state: "applied" },
  ]);
  expect(customers(scene)).toHaveLength(2);
});

describe("a create that is open", () => {
  it("keeps its natural key from others for as long as a person needs", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    await lost(scene);
    const candidates = scene.tenant.sandbox.seed("customer", [held(scene), held(scene)]);
    expect(await scene.deliver(id)).toMatchObject({ state: "uncertain" });
    for (const { id: serviceId } of candidates) scene.tenant.sandbox.vanish("customer", serviceId);
    await scene.erp(other, twin);

    const { state, error, dueAt } = await scene.deliver(other);
    expect({ state, inMs: dueAt! - scene.clock.now(), message: error?.message }).toEqual({
      state: "waiting",
      inMs: 60_000,
      message: expect.stringMatching(/customers\/10, .* waits for a person/),
    });
    await scene.store.resolve(id, { kind: "skip" });
    scene.clock.advance(60_000);
    expect(await scene.deliver(other)).toMatchObject({ state: "applied" });
  });

  it("no longer does once a person has bound it and the ERP has deleted it", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    await lost(scene);
    const [serviceId] = scene.tenant.sandbox
      .seed("customer", [{ ...held(scene), customerId: "1" }])
      .map((made) => made.id);
    await scene.store.resolve(id, { kind: "bind", binding: { resource: "customer", serviceId: serviceId! } });
    await scene.erp(id);
    expect(await scene.settle(id)).toMatchObject({ state: "deleted" });
    await scene.erp(other, twin);

    expect(await scene.deliver(other)).toMatchObject({ state: "applied" });
  });
});

it("makes a list that is ours alone what the ERP says, and keeps other people's entries in one that is shared", async () => {
  await using sandbox = await startSandbox();
  await using rig = await DeliveryRig.open(sandbox);
  const [priority, ticketStatus] = (["priority", "ticketStatus"] as const).map((name) => sandbox.records(name)[0]!.id);
  const [ours, theirs] = sandbox.records("tag").map(({ id: tag }) => tag);
  for (const erpReferenceNumber of ["1", "2"])
    sandbox.seed("ticket", [
      {
        erpReferenceNumber,
        description: "Leak",
        priority: priority!,
        ticketStatus: ticketStatus!,
        tags: [ours!, theirs!],
      },
    ]);
  const fields = (tags: string) => `{ erpReferenceNumber: no, description: text, priority: { const: ${priority} },
      ticketStatus: { const: ${ticketStatus} }, tags: ${tags} }`;
  const head = "source: erp, read: { table: t, key: no }, resource: ticket, match: [erpReferenceNumber]";
  const streams = streamsOf(`
sources: { erp: { adapter: sql, url: "sqlite:erp.db" } }
streams:
  own: { ${head}, fields: ${fields("tags")} }
  shared: { ${head}, fields: ${fields("{ tags: tags, by: id }")} }
`);
  await rig.stage("own", [upsert("1", { no: "1", text: "Leak", tags: [ours!] })]);
  await rig.stage("shared", [upsert("2", { no: "2", text: "Leak", tags: [ours!] })]);
  await rig.run(streams);

  expect(sandbox.records("ticket").map(({ tags }) => tags)).toEqual([[ours], [ours, theirs]]);
});
