import { describe, expect, it } from "vitest";
import type { Change, Json } from "#model";
import { Approved } from "#pipeline";
import type { Sandbox } from "#sandbox";
import { approveAll, openRigScene, streamsOf } from "./delivery-rig.ts";

const read = { table: "t", key: "k" };

function streams(fields: Record<string, Json> = { name: "name" }) {
  const departments = {
    source: "erp",
    read,
    resource: "department",
    match: ["code"],
    fields: { code: "code", ...fields },
    deleted: { when: "gone", delete: true },
  };
  return streamsOf(
    JSON.stringify({ sources: { erp: { adapter: "sql", url: "sqlite:erp.db" } }, streams: { departments } }),
  );
}

const row = (key: string, name: string, more: Record<string, Json> = {}): Change => ({
  kind: "upsert",
  key,
  row: { name, code: key, gone: false, ...more },
});

function writes({ ledger }: Sandbox): number {
  return ledger.count({ method: "POST" }) + ledger.count({ method: "PUT" }) + ledger.count({ method: "DELETE" });
}

/** The departments with a code; the service begins with others. */
function coded(sandbox: Sandbox): string[] {
  const found = sandbox.records("department").flatMap(({ code, name }) => {
    return typeof code === "string" && typeof name === "string" ? [`${code} ${name}`] : [];
  });
  return found.toSorted();
}

describe("deliveries of an approved plan", () => {
  it("write the approved records and leave all others due", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    await rig.stage("departments", [row("1", "Sales")]);
    const { approved } = await approveAll(rig, streams());
    await rig.stage("departments", [row("0", "New"), row("2", "Other")]);
    await rig.run(streams(), approved);
    expect(coded(sandbox)).toEqual(["1 Sales"]);
    expect(await rig.store.due({ limit: 9, streams: ["departments"] })).toHaveLength(2);
    expect(approved.left).toEqual([]);
  });

  it("deliver nothing before they are opened", async () => {
    await using scene = await openRigScene();
    await scene.rig.stage("departments", [row("1", "Sales")]);
    await scene.rig.run(streams(), new Approved());
    expect(writes(scene.sandbox)).toBe(0);
  });

  it("write nothing where the row changed after the plan was compared", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    await rig.stage("departments", [row("1", "Sales"), row("2", "Buying")]);
    const { approved } = await approveAll(rig, streams());
    await rig.stage("departments", [row("2", "Purchase")]);
    await rig.run(streams(), approved);
    expect(coded(sandbox)).toEqual(["1 Sales"]);
    expect(approved.left).toEqual([
      { id: { stream: "departments", key: "2" }, why: "its row changed in the ERP after the plan was compared" },
    ]);
    expect(await rig.store.record({ stream: "departments", key: "2" })).toMatchObject({
      state: "due",
      attempts: 0,
      intent: undefined,
    });
  });

  it("bind nothing where a person made the record meanwhile", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    await rig.stage("departments", [row("1", "Sales")]);
    const { approved } = await approveAll(rig, streams());
    sandbox.seed("department", [{ id: 900, code: "1", name: "By hand" }]);
    await rig.run(streams(), approved);
    expect(writes(sandbox)).toBe(0);
    expect(approved.left).toMatchObject([{ why: "the plan says create, and the delivery would adopt" }]);
    expect((await rig.store.record({ stream: "departments", key: "1" }))?.binding).toBeUndefined();
  });

  it("update no other record and no other field", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    await rig.stage("departments", [row("1", "Sales"), row("2", "Buying")]);
    await rig.run(streams());
    const before = writes(sandbox);
    await rig.stage("departments", [row("1", "A"), row("2", "B")]);
    const approved = new Approved();
    const add = async (key: string, serviceId: number, fields: string[]) => {
      const id = { stream: "departments", key };
      const { sequence } = (await rig.store.record(id))!;
      approved.add(id, { verdict: "update", serviceId, fields, sequence });
    };
    const idOf = async (key: string) => (await rig.store.record({ stream: "departments", key }))!.binding!.serviceId;
    await add("1", (await idOf("1")) + 100, ["name"]);
    await add("2", await idOf("2"), ["code"]);
    approved.open();
    await rig.run(streams(), approved);
    expect(writes(sandbox)).toBe(before);
    expect(approved.left.map(({ why }) => why)).toEqual([
      expect.stringMatching(/^the plan says update \d+, and the delivery would update \d+$/),
      "the delivery would also write name",
    ]);
    const views = await rig.views(streams());
    expect(views.map(({ inFlight }) => inFlight)).toEqual([undefined, undefined]);
  });

  it("unbind nothing that is to be updated, and that the service has lost since", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    const departments = streams();
    await rig.stage("departments", [row("1", "Sales"), row("2", "Buying")]);
    await rig.run(departments);
    const id = { stream: "departments", key: "1" };
    const { serviceId } = (await rig.store.record(id))!.binding!;
    await rig.stage("departments", [row("1", "A")]);
    const { approved } = await approveAll(rig, streams());
    // A person replaced it by another one with its code: without the plan, the record would adopt that one.
    sandbox.vanish("department", serviceId);
    sandbox.seed("department", [{ code: "1", name: "Sales" }]);
    await rig.run(departments, approved);
    expect((await rig.store.record(id))?.binding?.serviceId).toBe(serviceId);
    expect(approved.left).toMatchObject([{ id, why: "the plan says update, and the delivery would create" }]);
  });

  it("delete nothing that is to be updated", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    await rig.stage("departments", [row("1", "Sales")]);
    await rig.run(streams());
    const before = writes(sandbox);
    await rig.stage("departments", [row("1", "Sales", { gone: true })]);
    const id = { stream: "departments", key: "1" };
    const { binding, sequence } = (await rig.store.record(id))!;
    const approved = new Approved();
    approved.add(id, { verdict: "update", serviceId: binding!.serviceId, fields: ["name"], sequence });
    approved.open();
    await rig.run(streams(), approved);
    expect(writes(sandbox)).toBe(before);
    expect(approved.left).toMatchObject([{ id, why: "the plan says update, and the delivery would delete" }]);
    expect((await rig.store.record(id))?.inFlight).toBeUndefined();
  });

  it("carry out what is planned: a create, an adoption with its update, an update and a deletion", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    await rig.stage("departments", [row("1", "Sales"), row("2", "Buying")]);
    await rig.run(streams());
    sandbox.seed("department", [{ id: 900, code: "4", name: "Known" }]);
    await rig.run(streams());
    await rig.stage("departments", [row("1", "A"), row("2", "B", { gone: true }), row("3", "C"), row("4", "D")]);
    const { approved, planned } = await approveAll(rig, streams());
    expect(planned.map(({ verdict }) => verdict)).toEqual(["update", "delete", "create", "adopt"]);
    await rig.run(streams(), approved);
    expect(approved.left).toEqual([]);
    expect(coded(sandbox)).toEqual(["1 A", "3 C", "4 D"]);
  });

  it("finish a deletion that was begun, and create the record that came back, where the plan says both", async () => {
    await using scene = await openRigScene();
    const { rig, sandbox } = scene;
    const id = { stream: "departments", key: "1" };
    await rig.stage("departments", [row("1", "Sales"), row("2", "Buying")]);
    await rig.run(streams());
    await rig.stage("departments", [row("1", "Sales", { gone: true })]);
    const claim = (await rig.store.claim(id))!;
    await rig.store.markInFlight(claim, { kind: "deletion", fields: {} });
    await rig.store.end(claim, { kind: "release" });
    await rig.stage("departments", [row("1", "Back")]);

    const { approved, planned } = await approveAll(rig, streams());
    const deletes = claim.binding!.serviceId;
    expect(planned).toMatchObject([{ id, verdict: "create", deletes }]);
    const unseen = new Approved();
    unseen.add(id, { verdict: "create", serviceId: undefined, fields: [], sequence: claim.sequence + 1 });
    unseen.open();
    const before = writes(sandbox);
    await rig.run(streams(), unseen);
    expect(writes(sandbox)).toBe(before);

    await rig.run(streams(), approved);
    expect(approved.left).toEqual([]);
    expect(coded(sandbox)).toEqual(["1 Back", "2 Buying"]);
    expect(sandbox.record("department", deletes)).toBeUndefined();
  });

  it("are refused one by one, too, before the plan is open", async () => {
    const approved = new Approved();
    const id = { stream: "departments", key: "1" };
    approved.add(id, { verdict: "create", serviceId: undefined, fields: [], sequence: 1 });
    const create = () => approved.expect({ id, sequence: 1 }, { kind: "create" });
    expect(create).toThrow("not open");
    approved.open();
    expect(create).not.toThrow();
    expect(approved.left).toEqual([]);
  });
});
