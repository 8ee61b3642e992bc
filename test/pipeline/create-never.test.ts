import { describe, expect, it, vi } from "vitest";
import { startSandbox } from "#sandbox";
import { contact, customer, upsert } from "../conformance/store-scene.ts";
import { never } from "../kit/outcome.ts";
import { DeliveryRig, streamsOf } from "./delivery-rig.ts";
import { DeliveryScene } from "./delivery-scene.ts";

const id = customer("10");
const row = { number: "10", name: "Muster" };
const absent = {
  state: "skipped",
  binding: undefined,
  attempts: 0,
  error: { code: "E_CREATE_NEVER", message: "create: never: the service has no customer with customerId 10" },
};

const open = () => DeliveryScene.open("create: never");

/** What somebody enters in the service. */
const entered = ({ tenant }: DeliveryScene, customerId = "10") =>
  tenant.sandbox.seed("customer", [
    { customerId, name: "Other", customerStatus: tenant.named("customerStatus", "Active") },
  ])[0]!;

const department = (key: string, code: string | null) => upsert(key, { code, name: "New" });

describe("a stream that creates nothing", () => {
  it("leaves out what the service does not have, and what refers to it waits", async () => {
    await using scene = await open();
    await scene.erp(id, row);
    await scene.erp(contact("1"), { name: "Ann", customer: "10" });
    expect(await scene.settle(id)).toMatchObject(absent);
    expect(await scene.settle(contact("1"))).toMatchObject({ state: "waiting", error: { code: "E_PARENT_MISSING" } });
    expect(scene.writes()).toEqual([]);
  });

  it("keeps in sync what the service has", async () => {
    await using scene = await open();
    const { id: serviceId } = entered(scene);
    await scene.erp(id, row);
    expect(await scene.settle(id)).toMatchObject({ state: "applied", binding: { serviceId } });
    expect(scene.tenant.sandbox.record("customer", serviceId)).toMatchObject({ name: "Muster" });
  });

  it("delivers what was left out once the service shows it, and its children with it", async () => {
    await using scene = await open();
    const [left, other] = [customer("11"), customer("12")];
    await scene.erp(id, row);
    await scene.erp(left, { ...row, number: "11" });
    await scene.erp(other, { ...row, number: "12" });
    await scene.erp(contact("1"), { name: "Ann", customer: "10" });
    for (const each of [id, left, contact("1")]) await scene.settle(each);
    await scene.store.resolve(other, { kind: "skip" });
    const { id: serviceId } = entered(scene);
    entered(scene, "12");
    await scene.leftOut.look(id.stream, never);

    expect(await scene.settle(id)).toMatchObject({ state: "applied", binding: { serviceId } });
    expect(await scene.settle(contact("1"))).toMatchObject({ state: "applied" });
    expect(await scene.store.record(left)).toMatchObject({ state: "skipped" });
    // A person's decision stands.
    expect(await scene.store.record(other)).toMatchObject({ state: "skipped" });
    expect(scene.writes()).not.toContain("POST customer");
  });

  it("looks at the records only where the service shows something new", async () => {
    await using scene = await open();
    entered(scene, "12");
    await scene.erp(id, row);
    await scene.settle(id);
    const listed = vi.spyOn(scene.store, "records");
    const looked = async () => {
      listed.mockClear();
      await scene.leftOut.look(id.stream, never);
      return listed.mock.calls.length;
    };
    expect(await looked()).toBeGreaterThan(0);
    // The record's stamp may be ahead of the service's clock, which is known to the second.
    await expect.poll(looked).toBe(0);
    expect(await looked()).toBe(0);
    entered(scene);
    await scene.leftOut.look(id.stream, never);
    expect(await scene.store.record(id)).toMatchObject({ state: "due" });
  });

  it("looks at the records now and then, too, where changes have cancelled each other out", async () => {
    await using scene = await open();
    const { id: serviceId } = entered(scene);
    const { id: other } = entered(scene, "99");
    const second = customer("11");
    await scene.erp(id, row);
    await scene.settle(id);
    await scene.erp(second, row);
    expect(await scene.settle(second)).toMatchObject({ state: "skipped" });
    const look = () => scene.leftOut.look(id.stream, never);
    await look();
    // A person binds the first record to another one: as many records of the service are free as before.
    await scene.store.resolve(id, { kind: "unbind" });
    await scene.store.resolve(id, { kind: "bind", binding: { resource: "customer", serviceId: other } });
    for (let looks = 0; looks < 4; looks++) await look();
    expect(await scene.settle(second)).toMatchObject({ state: "applied", binding: { serviceId } });
  });

  it("is bound by hand to what the service has under another key", async () => {
    await using scene = await open();
    const { id: serviceId } = entered(scene, "A-10");
    await scene.erp(id, row);
    expect(await scene.settle(id)).toMatchObject(absent);
    await scene.store.resolve(id, { kind: "bind", binding: { resource: "customer", serviceId } });
    expect(await scene.settle(id)).toMatchObject({ state: "applied", binding: { serviceId } });
    expect(scene.tenant.sandbox.record("customer", serviceId)).toMatchObject({ customerId: "10" });
  });

  it("looks for what was left out at intervals, too", async () => {
    await using scene = await open();
    await scene.erp(id, row);
    await scene.settle(id);
    entered(scene);
    const ending = new AbortController();
    const running = scene.leftOut.run(ending.signal);
    await vi.waitFor(async () => expect(await scene.store.record(id)).toMatchObject({ state: "due" }), 120_000);
    ending.abort();
    await running.catch(() => {});
    expect(await scene.settle(id)).toMatchObject({ state: "applied" });
  });

  it("leaves the second of two records with one natural key out, and says whose it is", async () => {
    await using scene = await open();
    entered(scene);
    await scene.erp(id, row);
    await scene.settle(id);
    await scene.erp(customer("11"), row);
    expect(await scene.settle(customer("11"))).toMatchObject({
      state: "skipped",
      error: { message: "create: never: customer with customerId 10 belongs to customers/10" },
    });
  });

  it("does not create for an answer that was given before", async () => {
    await using scene = await open();
    await scene.erp(id, row);
    await scene.store.resolve(id, { kind: "create" });
    expect(await scene.settle(id)).toMatchObject(absent);
    expect(scene.writes()).toEqual([]);
  });

  it("does not create again what was deleted in the service", async () => {
    await using scene = await open();
    const { id: serviceId } = entered(scene);
    await scene.erp(id, row);
    await scene.settle(id);
    scene.tenant.sandbox.vanish("customer", serviceId);
    scene.clock.advance(1);
    await scene.erp(id, { ...row, name: "Muster AG" });
    expect(await scene.settle(id)).toMatchObject(absent);
    expect(scene.writes()).not.toContain("POST customer");
  });

  it("plans what it then does", async () => {
    await using sandbox = await startSandbox();
    await using rig = await DeliveryRig.open(sandbox);
    const words = { source: "erp", read: { table: "t", key: "k" }, resource: "department" };
    const streams = streamsOf(
      JSON.stringify({
        sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } },
        streams: {
          departments: { ...words, match: ["code"], create: "never", fields: { code: "code", name: "name" } },
        },
      }),
    );
    await rig.service.create("department", { name: "known", code: "K" }, never);
    await rig.stage("departments", [department("1", "K"), department("2", "X"), department("3", null)]);
    const reasons = [
      undefined,
      "create: never: the service has no department with code X",
      "create: never: the record has no natural key (code) by which the service's department could be found",
    ];
    await rig.run(streams);
    const views = await rig.views(streams);
    expect(views.map(({ state }) => state)).toEqual(["applied", "skipped", "skipped"]);
    expect(views.map(({ error }) => error?.message)).toEqual(reasons);
    for (const { id: each } of views.slice(1)) await rig.store.retryNow({ ...each, states: ["skipped"] });
    const planner = await rig.planner(streams);
    const planned = [];
    for await (const { verdict, reason } of planner.plan("departments", never)) planned.push({ verdict, reason });
    expect(planned).toEqual(reasons.slice(1).map((reason) => ({ verdict: "skip", reason })));
  });
});
