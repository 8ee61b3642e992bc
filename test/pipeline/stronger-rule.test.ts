import { describe, expect, it } from "vitest";
import type { Json, Row } from "#model";
import { AdoptionPlanner, AmbiguousRecords, Matcher, Planner } from "#pipeline";
import { upsert } from "../conformance/store-scene.ts";
import { silentLogger } from "../kit/logger.ts";
import { never } from "../kit/outcome.ts";
import { load } from "../mapping/sample.ts";
import { DeliveryScene, syncFile } from "./delivery-scene.ts";

const id = { stream: "customers", key: "1" };
const other = { stream: "customers", key: "9" };
const BY_NAME = "{ fields: [name], compare: normalized, shared: true }";
const RULES = `[[customerId], ${BY_NAME}]`;

/** What a delivery, a plan of the store and an adoption plan say of a record, each before the delivery of the next row. */
async function said(scene: DeliveryScene, match: string, row: Row, fields = "") {
  await scene.erp(id, row);
  const { store, tenant, clock } = scene;
  const { streams } = load(syncFile("", match, fields));
  const stream = streams.find(({ name }) => name === "customers")!;
  const deps = { store, service: tenant.service, clock, logger: silentLogger, settleMs: 0, maxAgeMs: 0 };
  const adoption = await new AdoptionPlanner(store, tenant.service, new Matcher(deps, streams)).plan(stream, never);
  const guard = { percent: 100, count: 1_000_000, floor: 1_000_000 };
  const planner = await Planner.open({ store, names: (...of) => tenant.service.lookup(...of), clock, guard }, streams);
  const planned = (await Array.fromAsync(planner.plan("customers", never))).find((each) => each.id.key === id.key);
  const delivered = await scene.settle(id);
  return { adopted: adoption.records.find((each) => each.id.key === id.key), planned, delivered };
}

function held(scene: DeliveryScene, customerId: Json, name: string) {
  const customerStatus = scene.tenant.named("customerStatus", "Active");
  return scene.tenant.sandbox.seed("customer", [{ customerId, name, customerStatus }])[0]!.id;
}

const customers = (scene: DeliveryScene) => scene.tenant.sandbox.records("customer");

describe("a record that only a weaker rule finds", () => {
  it("is left to a person where a stronger rule contradicts, by delivery, plan and adoption alike", async () => {
    await using scene = await DeliveryScene.open("", RULES);
    const serviceId = held(scene, "z-last", "Kim Muster");
    const { adopted, planned, delivered } = await said(scene, RULES, { number: "other", name: "Kim Muster" });

    const error = {
      code: "E_MATCH_AMBIGUOUS",
      message: `customer ${serviceId} has the same name, but customerId differs, by which a stronger match rule compares: found "z-last" in the service, expected "other" from the ERP`,
    };
    expect(adopted).toMatchObject({
      verdict: "ambiguous",
      match: "customerId other, name Kim Muster",
      counterparts: [{ serviceId, match: "customerId z-last, name Kim Muster" }],
      error,
    });
    expect(planned).toMatchObject({ verdict: "park", error });
    expect(delivered).toMatchObject({ state: "parked", binding: undefined, error });
    expect(delivered.error?.details).toMatchObject({ candidates: [serviceId], found: "z-last", wanted: "other" });
    expect(customers(scene)).toMatchObject([{ customerId: "z-last", name: "Kim Muster" }]);
  });

  it("goes to the record of the ERP that has its stronger key, whichever comes first", async () => {
    await using scene = await DeliveryScene.open("", RULES);
    const serviceId = held(scene, "z-last", "Kim Muster");
    await scene.erp(id, { number: "other", name: "Kim Muster" });
    await scene.settle(id);
    await scene.erp(other, { number: "z-last", name: "Kim Muster" });
    expect(await scene.settle(other)).toMatchObject({ state: "applied", binding: { serviceId } });

    // The candidate is taken now, so a person need not choose any more.
    const ambiguous = new AmbiguousRecords({ store: scene.store, logger: silentLogger }, scene.streams);
    await ambiguous.look(never);
    expect(await scene.settle(id)).toMatchObject({ state: "applied" });
    expect(customers(scene).map(({ customerId }) => customerId)).toEqual(["z-last", "other"]);
  });

  it("stays parked while its candidate belongs to nobody", async () => {
    await using scene = await DeliveryScene.open("", RULES);
    held(scene, "z-last", "Kim Muster");
    await scene.erp(id, { number: "other", name: "Kim Muster" });
    await scene.settle(id);
    const ambiguous = new AmbiguousRecords({ store: scene.store, logger: silentLogger }, scene.streams);
    await ambiguous.look(never);
    expect(await scene.store.record(id)).toMatchObject({ state: "parked", error: { code: "E_MATCH_AMBIGUOUS" } });
  });

  it.each<[string, string, Json, Row]>([
    ["the service lacks the value", RULES, null, { number: "7", name: "KIM-Muster" }],
    ["the ERP lacks the value", RULES, "7", { number: null, name: "Kim Muster" }],
    [
      "it differs in what the stronger rule ignores",
      `[{ fields: [customerId], compare: caseInsensitive }, ${BY_NAME}]`,
      "AB",
      { number: "ab", name: "Kim Muster" },
    ],
    [
      "it differs in a field by which the weaker rule compares, too",
      `[[customerId, name], ${BY_NAME}]`,
      null,
      { number: "7", name: "KIM MUSTER" },
    ],
  ])("is adopted where %s", async (_case, match, customerId, row) => {
    await using scene = await DeliveryScene.open("", match);
    const serviceId = held(scene, customerId, "Kim Muster");
    const { adopted, planned, delivered } = await said(scene, match, row);
    expect(adopted).toMatchObject({ verdict: "matched", candidates: [serviceId] });
    expect(planned).toMatchObject({ verdict: "adopt", serviceId });
    expect(delivered).toMatchObject({ binding: { serviceId } });
  });

  it("is left to a person where one field of a stronger rule differs, though another one is missing", async () => {
    const match = `[[customerId, shortName], ${BY_NAME}]`;
    const fields = "shortName: short";
    await using scene = await DeliveryScene.open("", match, fields);
    const serviceId = held(scene, "z-last", "Kim Muster");
    const row = { number: "other", name: "Kim Muster", short: null };
    const { adopted, planned, delivered } = await said(scene, match, row, fields);
    for (const each of [planned, delivered, adopted])
      expect(each?.error?.message).toContain(`customer ${serviceId} has the same name, but customerId differs`);
  });

  it("is not taken for the result of a lost create", async () => {
    await using scene = await DeliveryScene.open("", RULES);
    await scene.erp(id, { number: "other", name: "Kim Muster" });
    scene.fault({ kind: "cut", when: "before", method: "POST", count: 1 });
    expect((await scene.deliver(id)).intent).toBeDefined();
    const serviceId = held(scene, "z-last", "Kim Muster");
    scene.clock.advance(60_000);

    // It may still appear at the first look, and no longer at the second one.
    expect(await scene.settle(id)).toMatchObject({ state: "waiting", binding: undefined });
    scene.clock.advance(60_000);
    expect(await scene.settle(id)).toMatchObject({ state: "uncertain", binding: undefined });
    expect((await scene.store.record(id))?.error?.details).toMatchObject({ candidates: [serviceId] });
    expect(customers(scene)).toMatchObject([{ customerId: "z-last" }]);
  });

  it("is neither bound nor deleted for a record that the ERP deleted", async () => {
    await using scene = await DeliveryScene.open("deleted: { delete: true }", RULES);
    held(scene, "z-last", "Kim Muster");
    const row = { number: "other", name: "Kim Muster" };
    const changes = [upsert("1", row), { kind: "delete", key: "1" } as const];
    for (const change of changes)
      await scene.store.stage("customers", { changes: [change], cursor: null, backfill: false, complete: true });
    expect(await scene.settle(id)).toMatchObject({ binding: undefined, error: { code: "E_MATCH_AMBIGUOUS" } });
    expect(customers(scene)).toHaveLength(1);
  });
});
