import { describe, expect, it, vi } from "vitest";
import { RetryError } from "#model";
import { droppedNote } from "../../src/pipeline/notes.ts";
import { contact, customer } from "../conformance/store-scene.ts";
import { DeliveryScene } from "./delivery-scene.ts";

const id = customer("10");
const row = { number: "10", name: "Muster" };

/** What the service is asked to create for the row. */
const projection = (scene: DeliveryScene) => ({
  customerId: "10",
  name: "Muster",
  customerStatus: scene.tenant.named("customerStatus", "Active"),
});

describe("a delivery", () => {
  it("of a record that is not due does nothing", async () => {
    await using scene = await DeliveryScene.open();
    await scene.inService(id, row);

    expect(await scene.deliver(id)).toMatchObject({ state: "applied", attempts: 0 });
    expect(scene.tenant.sandbox.ledger.count()).toBe(0);
  });

  it.each([
    { what: "an update", later: { ...row, name: "Other" } },
    { what: "a deletion that sets fields", later: undefined },
  ])("ends what is said of a field that the service dropped, by $what that it keeps", async ({ later }) => {
    await using scene = await DeliveryScene.open("deleted: { set: { name: gone } }");
    const note = droppedNote(id.stream, "name");
    const { id: serviceId } = await scene.inService(id, row);
    await scene.store.saveNote(note, { resource: "customer", serviceId });

    await scene.erp(id, later);
    await scene.settle(id);
    expect(scene.writes()).toEqual(["PUT customer"]);
    expect(await scene.store.note(note)).toBeUndefined();
  });

  it("parks a row that cannot be read", async () => {
    await using scene = await DeliveryScene.open();
    const error = { code: "E_ROW_UNREADABLE", message: "no such date", details: {} } as const;
    const unreadable = [{ key: id.key, error }];
    await scene.store.stage(id.stream, { changes: [], unreadable, cursor: null, backfill: false, complete: true });

    expect(await scene.deliver(id)).toMatchObject({ state: "parked", error: { code: "E_ROW_UNREADABLE" } });
  });

  it("parks a row that cannot be mapped", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, { number: "10" });

    expect(await scene.deliver(id)).toMatchObject({ state: "parked", error: { code: "E_MAPPING" } });
    expect(scene.writes()).toEqual([]);
  });

  it("keeps each failed attempt in the record's history, with its time and what was answered", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    scene.fault({ kind: "gateway404", status: 403, method: "POST", count: 9 });
    const failedAt: number[] = [];
    for (let state = "due"; state !== "parked"; scene.clock.advance(60_000)) {
      failedAt.unshift(scene.clock.now());
      ({ state } = await scene.deliver(id));
    }
    const history = await scene.store.audit({ id, limit: 99 });
    expect(history.map(({ at }) => at)).toEqual(failedAt);
    expect(failedAt.length).toBeGreaterThan(1);
    const attempt = { action: "attempt", resource: "customer", status: 403, durationMs: expect.any(Number) };
    for (const entry of history)
      expect(entry).toMatchObject({
        ...attempt,
        outcome: expect.stringMatching(/answered 403.*\(E_SERVICE_REFUSED\)$/),
      });
  });

  it("leaves out what the mapping leaves out", async () => {
    await using scene = await DeliveryScene.open("when: \"name = 'Muster'\"");
    await scene.erp(id, { ...row, name: "Other" });

    expect(await scene.deliver(id)).toMatchObject({ state: "skipped" });
    expect(scene.writes()).toEqual([]);
  });

  it("parks a record whose stream leads to another resource now", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    const claim = await scene.claim(id);
    await scene.store.begin(claim, { resource: "tag", projection: {} });
    await scene.store.end(claim, {
      kind: "bind",
      binding: { resource: "tag", serviceId: 5 },
      applied: { projection: {}, outcome: "created", parents: [], again: true },
    });

    expect(await scene.deliver(id)).toMatchObject({ state: "parked", error: { code: "E_RESOURCE_CHANGED" } });
  });

  it("parks a record whose binding a person ended", async () => {
    await using scene = await DeliveryScene.open();
    await scene.inService(id, row);
    await scene.store.resolve(id, { kind: "unbind" });

    expect(await scene.deliver(id)).toMatchObject({ state: "parked", error: { code: "E_UNBOUND" } });
    expect(scene.writes()).toEqual([]);
  });

  it("waits while the service fails, and counts the attempt", async () => {
    await using scene = await DeliveryScene.open();
    await scene.inService(id, row);
    await scene.erp(id, { ...row, name: "Neu" });
    scene.fault({ kind: "serverError", method: "PUT", when: "before", count: 1 });

    expect(await scene.deliver(id)).toMatchObject({ state: "due", attempts: 1 });
    scene.clock.advance(60_000);
    expect(await scene.deliver(id)).toMatchObject({ state: "applied", attempts: 0 });
  });
});

describe("a create", () => {
  it("is bound to what the service answers", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    const { state, binding, applied } = await scene.deliver(id);

    const [record] = scene.tenant.sandbox.records("customer");
    expect({ state, binding, applied }).toEqual({
      state: "applied",
      binding: { resource: "customer", serviceId: record!.id },
      applied: projection(scene),
    });
    expect(scene.writes()).toEqual(["POST customer"]);
  });

  it("adopts the one record that has the natural key, and sends only what differs", async () => {
    await using scene = await DeliveryScene.open();
    const [there] = scene.tenant.sandbox.seed("customer", [{ ...projection(scene), name: "Older name" }]);
    await scene.erp(id, row);

    expect((await scene.settle(id)).binding?.serviceId).toBe(there!.id);
    expect(scene.tenant.sandbox.record("customer", there!.id)).toMatchObject({ name: "Muster" });
    expect(scene.writes()).toEqual(["PUT customer"]);
  });

  it("parks a record that several could be", async () => {
    await using scene = await DeliveryScene.open();
    scene.tenant.sandbox.seed("customer", [projection(scene), projection(scene)]);
    await scene.erp(id, row);

    expect(await scene.deliver(id)).toMatchObject({ state: "parked", error: { code: "E_MATCH_AMBIGUOUS" } });
    expect(scene.writes()).toEqual([]);
  });

  it("parks a second record with the natural key of another one", async () => {
    await using scene = await DeliveryScene.open();
    await scene.inService(id, row);
    await scene.erp(customer("11"), row);

    expect(await scene.deliver(customer("11"))).toMatchObject({ state: "parked", error: { code: "E_MATCH_TAKEN" } });
    expect(scene.writes()).toEqual([]);
  });

  it("parks it too where the index also names a record that people deleted", async () => {
    await using scene = await DeliveryScene.open();
    const { sandbox } = scene.tenant;
    await scene.inService(id, row);
    const [double] = sandbox.seed("customer", [projection(scene)]);
    // The index is read now.
    scene.clock.advance(1);
    await scene.inService(customer("12"), { ...row, number: "12" });
    sandbox.vanish("customer", double!.id);
    await scene.erp(customer("11"), row);

    expect(await scene.deliver(customer("11"))).toMatchObject({ state: "parked", error: { code: "E_MATCH_TAKEN" } });
    expect(scene.writes()).toEqual([]);
  });

  it("waits for its parent, whose binding wakes it", async () => {
    await using scene = await DeliveryScene.open();
    const child = contact("7");
    await scene.erp(child, { number: "7", name: "Anna", customer: "10" });
    await scene.erp(id, row);

    expect(await scene.deliver(child)).toMatchObject({ state: "waiting", waitsFor: [id] });
    await scene.deliver(id);
    expect(await scene.deliver(child)).toMatchObject({ state: "applied" });
  });
});

describe("an open create", () => {
  it("is bound to the record that it made, and nothing is created again", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    scene.fault({ kind: "cut", when: "after", method: "POST", count: 1 });

    const lost = await scene.deliver(id);
    expect(lost.intent).toMatchObject({ resource: "customer", answered: false });
    scene.clock.advance(60_000);

    const [record] = scene.tenant.sandbox.records("customer");
    expect((await scene.settle(id)).binding?.serviceId).toBe(record!.id);
    expect(scene.writes()).toEqual(["POST customer"]);
  });

  it("is bound to the record that it made, where the store was not reached after it", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    const away = new RetryError("E_STORE_UNREACHABLE", "the database is restarting");
    vi.spyOn(scene.store, "end").mockRejectedValueOnce(away);

    expect(await scene.deliver(id)).toMatchObject({ intent: { resource: "customer" }, error: { code: away.code } });
    // Another record with its natural key, while the service does not list it yet.
    scene.fault({ kind: "staleList", lagMs: 60_000 });
    await scene.erp(customer("11"), row);
    expect(await scene.deliver(customer("11"))).toMatchObject({ error: { code: "E_MATCH_TAKEN" } });
    scene.tenant.sandbox.faults.clear();
    scene.clock.advance(60_000);

    const [record] = scene.tenant.sandbox.records("customer");
    expect((await scene.settle(id)).binding?.serviceId).toBe(record!.id);
    expect(scene.writes()).toEqual(["POST customer"]);
  });

  it("is bound to the record that it made, where the answer names another record's", async () => {
    await using scene = await DeliveryScene.open();
    const other = await scene.inService(customer("9"), { number: "9", name: "Other" });
    await scene.erp(id, row);
    scene.fault({ kind: "oddId", id: other.id, method: "POST", count: 1 });

    const told = { code: "E_CREATE_UNKNOWN", details: { serviceId: other.id } };
    expect(await scene.deliver(id)).toMatchObject({ intent: { answered: true }, binding: undefined, error: told });
    scene.clock.advance(60_000);

    const made = scene.tenant.sandbox.records("customer").find(({ customerId }) => customerId === "10");
    expect((await scene.settle(id)).binding?.serviceId).toBe(made!.id);
    expect((await scene.store.record(customer("9")))?.binding?.serviceId).toBe(other.id);
    expect(scene.writes()).toEqual(["POST customer"]);
  });

  it("of a process that died before its request is created after two looks", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    await scene.dies(id, projection(scene));

    expect(await scene.deliver(id)).toMatchObject({ state: "waiting", error: { code: "E_CREATE_UNSETTLED" } });
    scene.clock.advance(2_000);
    expect(await scene.deliver(id)).toMatchObject({ state: "applied", intent: undefined });
    expect(scene.writes()).toEqual(["POST customer"]);
  });

  it("that the service carried out without showing it is uncertain", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    await scene.dies(id, projection(scene), { isAnswered: true });
    await scene.deliver(id);
    scene.clock.advance(2_000);

    expect(await scene.deliver(id)).toMatchObject({ state: "uncertain", error: { code: "E_CREATE_UNCERTAIN" } });
    expect(scene.writes()).toEqual([]);
  });

  it("that a person bound no longer keeps its natural key from others", async () => {
    await using scene = await DeliveryScene.open();
    const { sandbox } = scene.tenant;
    await scene.erp(id, row);
    scene.fault({ kind: "cut", when: "before", method: "POST", count: 1 });
    await scene.deliver(id);
    const [found, double] = sandbox.seed("customer", [projection(scene), projection(scene)]);
    scene.clock.advance(60_000);
    expect(await scene.deliver(id)).toMatchObject({ state: "uncertain" });
    await scene.store.resolve(id, { kind: "bind", binding: { resource: "customer", serviceId: found!.id } });
    await scene.erp(id, { ...row, number: "20" });
    expect(await scene.settle(id)).toMatchObject({ state: "applied" });
    sandbox.vanish("customer", double!.id);
    await scene.erp(customer("11"), row);

    expect(await scene.deliver(customer("11"))).toMatchObject({ state: "applied", error: undefined });
  });

  it("of a record that a person calls a new one is not bound to the one that they unbound", async () => {
    await using scene = await DeliveryScene.open();
    const other = await scene.inService(id, row);
    await scene.store.resolve(id, { kind: "unbind" });
    await scene.store.resolve(id, { kind: "create" });
    scene.fault({ kind: "cut", when: "before", method: "POST", count: 1 });
    expect((await scene.deliver(id)).intent).toBeDefined();
    scene.clock.advance(60_000);

    expect(await scene.deliver(id)).toMatchObject({ state: "waiting", error: { code: "E_CREATE_UNSETTLED" } });
    scene.clock.advance(2_000);
    expect(await scene.deliver(id)).toMatchObject({
      state: "uncertain",
      binding: undefined,
      error: { code: "E_CREATE_UNCERTAIN", details: { candidates: [other.id] } },
    });
    expect(scene.writes()).toEqual(["POST customer"]);
  });

  it("that several records could have come from is uncertain", async () => {
    await using scene = await DeliveryScene.open();
    await scene.erp(id, row);
    await scene.dies(id, projection(scene));
    scene.tenant.sandbox.seed("customer", [projection(scene), projection(scene)]);

    expect(await scene.deliver(id)).toMatchObject({ state: "uncertain", error: { code: "E_CREATE_UNCERTAIN" } });
    expect(scene.writes()).toEqual([]);
  });
});

describe("an update", () => {
  it("sends nothing when nothing differs", async () => {
    await using scene = await DeliveryScene.open();
    await scene.inService(id, row);
    await scene.erp(id, { ...row, seen: "later" });

    expect(await scene.deliver(id)).toMatchObject({ state: "applied", appliedSequence: 2 });
    expect(scene.tenant.sandbox.ledger.count()).toBe(0);
  });

  it("of unknown outcome stays in flight, and is sent again", async () => {
    await using scene = await DeliveryScene.open();
    await scene.inService(id, row);
    await scene.erp(id, { ...row, name: "Neu" });
    scene.fault({ kind: "cut", when: "before", method: "PUT", count: 1 });

    expect((await scene.deliver(id)).inFlight).toMatchObject({ kind: "update", fields: { name: null } });
    scene.clock.advance(60_000);
    const settled = await scene.deliver(id);
    expect(settled).toMatchObject({ state: "applied", inFlight: undefined });
    expect(scene.tenant.sandbox.records("customer")).toMatchObject([{ name: "Neu" }]);
  });

  it("that was answered and hidden for a moment gives way to what the ERP went back to", async () => {
    await using scene = await DeliveryScene.open();
    const { id: serviceId } = await scene.inService(id, row);
    scene.fault({ kind: "oddId", id: 0, method: "PUT", count: 1 });
    // What is read back, alone.
    scene.fault({ kind: "gateway404", method: "GET", path: `*/customer/${serviceId}*`, count: 1 });
    await scene.erp(id, { ...row, name: "Between" });
    expect(await scene.deliver(id)).toMatchObject({ state: "due", error: { code: "E_SERVICE_ANSWER" } });
    const held = () => scene.tenant.sandbox.record("customer", serviceId)!["name"];
    expect(held()).toBe("Between");

    await scene.erp(id, row);
    await scene.deliver(id);
    expect(held()).toBe("Muster");
  });

  it("repeats what a comparison found to differ", async () => {
    await using scene = await DeliveryScene.open();
    const { id: serviceId } = await scene.inService(id, row);
    scene.tenant.sandbox.seed("customer", [{ id: serviceId, ...projection(scene), name: "By hand" }]);
    await scene.store.recheck(id, { name: null });

    expect(await scene.deliver(id)).toMatchObject({ state: "applied", inFlight: undefined });
    expect(scene.tenant.sandbox.record("customer", serviceId)).toMatchObject({ name: "Muster" });
  });

  it.each(["park", "recreate"] as const)("of a record that is gone does what the stream says: %s", async (gone) => {
    await using scene = await DeliveryScene.open(`gone: ${gone}`);
    const { id: serviceId } = await scene.inService(id, row);
    scene.tenant.sandbox.vanish("customer", serviceId);
    await scene.erp(id, { ...row, name: "Neu" });

    const { state, binding } = await scene.deliver(id);
    expect(state).toBe(gone === "park" ? "parked" : "applied");
    expect(binding?.serviceId === serviceId).toBe(gone === "park");
    expect(scene.tenant.requests("customer", "POST")).toBe(gone === "park" ? 0 : 1);
  });
});

describe("a deletion", () => {
  it("of a record that the service never had changes nothing there", async () => {
    await using scene = await DeliveryScene.open("deleted: { delete: true }");
    await scene.erp(id, row);
    await scene.erp(id);

    expect(await scene.deliver(id)).toMatchObject({ state: "deleted", binding: undefined });
    expect(scene.writes()).toEqual([]);
  });

  it("finds the record of a lost store by its natural key, and deletes it", async () => {
    await using scene = await DeliveryScene.open("deleted: { delete: true }");
    scene.tenant.sandbox.seed("customer", [projection(scene)]);
    await scene.erp(id, row);
    await scene.erp(id);

    expect(await scene.settle(id)).toMatchObject({ state: "deleted", binding: undefined });
    expect(scene.tenant.sandbox.records("customer")).toEqual([]);
  });

  it("leaves the record and its binding where the stream ignores deletions", async () => {
    await using scene = await DeliveryScene.open();
    const { id: serviceId } = await scene.inService(id, row);
    await scene.erp(id);

    expect(await scene.deliver(id)).toMatchObject({ state: "deleted", binding: { serviceId } });
    expect(scene.writes()).toEqual([]);
  });

  it("of all records leaves an empty list, which is no reason to create nothing", async () => {
    await using scene = await DeliveryScene.open("deleted: { delete: true }");
    const ids = Array.from({ length: 10 }, (_, at) => customer(`${at}`));
    for (const each of ids) await scene.inService(each, { ...row, number: each.key });
    for (const each of ids) {
      await scene.erp(each);
      expect(await scene.deliver(each)).toMatchObject({ state: "deleted" });
    }
    await scene.erp(id, row);
    // The index is read now.
    scene.clock.advance(1);

    expect(await scene.deliver(id)).toMatchObject({ state: "applied", error: undefined });
  });

  it("waits for the children that are still in the service", async () => {
    await using scene = await DeliveryScene.open("deleted: { delete: true }");
    await scene.inService(id, row);
    await scene.inService(contact("7"), { number: "7", name: "Anna", customer: "10" });
    await scene.erp(id);

    expect(await scene.deliver(id)).toMatchObject({ state: "waiting", error: { code: "E_CHILDREN_FIRST" } });
    expect(scene.writes()).toEqual([]);
  });

  it.each([
    { what: "the service refused", fault: { kind: "gateway404", status: 403 } },
    { what: "the service put off", fault: { kind: "tooMany", retryAfterSeconds: 16 } },
    { what: "was answered that the record is not there, which it is", fault: { kind: "gateway404" } },
  ] as const)("that $what leaves a record that came back where it is", async ({ fault }) => {
    await using scene = await DeliveryScene.open("deleted: { delete: true }");
    const { id: serviceId } = await scene.inService(id, row);
    await scene.erp(id);
    scene.fault({ ...fault, method: "DELETE", count: 1 });
    expect(await scene.deliver(id)).toMatchObject({ inFlight: undefined, binding: { serviceId } });

    await scene.erp(id, row);
    expect(await scene.deliver(id)).toMatchObject({ state: "applied", binding: { serviceId } });
    expect(scene.writes()).toEqual(["DELETE customer"]);
  });

  it("that was interrupted is finished before a record that came back is created again", async () => {
    await using scene = await DeliveryScene.open("deleted: { delete: true }");
    const { id: serviceId } = await scene.inService(id, row);
    await scene.erp(id);
    scene.fault({ kind: "serverError", when: "before", method: "DELETE" });
    expect((await scene.deliver(id)).inFlight).toMatchObject({ kind: "deletion" });
    scene.tenant.sandbox.faults.clear();
    scene.clock.advance(60_000);

    await scene.erp(id, { ...row, name: "Back" });
    const back = await scene.deliver(id);
    expect(back).toMatchObject({ state: "applied", inFlight: undefined });
    expect(back.binding?.serviceId).not.toBe(serviceId);
    expect(scene.tenant.sandbox.records("customer")).toMatchObject([{ name: "Back" }]);
  });
});
