import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { only, sent, setStage, writeRequests, type Stage } from "./stage.ts";

/** Tasks live below the service record that they belong to: no address of theirs can be made from their ids alone. */
const syncFile = `
sources:
  erp: { adapter: sql, url: "\${ERP_URL}", timezone: UTC }
streams:
  customers:
    source: erp
    read: { table: customers, key: customer_no, changed: updated_at, overlap: 5m }
    resource: customer
    match: [customerId]
    fields:
      customerId: customer_no
      name: name1
      customerStatus: { lookup: customerStatus, by: name, value: { const: Active } }
  visits:
    source: erp
    read: { table: customers, key: customer_no, changed: updated_at, overlap: 5m }
    resource: svcDocument
    match: [erpReferenceNumber]
    fields:
      erpReferenceNumber: { from: customer_no, own: create }
      customer: { ref: customers, key: customer_no }
  tasks:
    source: erp
    read: { table: tickets, key: ticket_no, changed: updated_at, overlap: 5m }
    resource: svcDocumentTask
    match: [name]
    fields:
      name: subject
      svcDocument: { ref: visits, key: customer_no }
      serviceType: { lookup: serviceType, by: name, value: { const: Wartung } }
    deleted: { when: "deleted = 1", delete: true }
`;
const environment = { DIALECT_PATHS: "svcDocumentTask=svcDocument/{parent}/task" };
const task = { stream: "tasks", key: "T-1" };

/** One round by a process of its own; what it complained of. */
async function synced(stage: Stage): Promise<string> {
  const { code, stderr, stdout } = await stage.command("sync");
  return code === 0 ? "" : stdout + stderr;
}

describe("a record whose address nests it below another one", () => {
  it("is updated and deleted by processes that did not create it", async () => {
    await using stage = await setStage({ syncFile, environment });
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", name1: "Muster AG" });
    erp.insertTicket({ ticket_no: "T-1", customer_no: "10001", subject: "Pump leaks" });
    erp.insertTicket({ ticket_no: "T-2", customer_no: "10001", subject: "Filter" });
    expect(await synced(stage)).toBe("");
    const { id } = only(sandbox, "svcDocumentTask", "name", "Pump leaks");

    erp.change("tickets", ["T-1"], { subject: "Pump is loud" });
    expect(await synced(stage)).toBe("");
    expect(sent(sandbox, "svcDocumentTask", "edit")).toEqual([{ name: "Pump is loud" }]);
    expect(only(sandbox, "svcDocumentTask", "name", "Pump is loud").id).toBe(id);

    erp.flagDeleted("tickets", ["T-1"]);
    expect(await synced(stage)).toBe("");
    expect(await stage.view(task)).toMatchObject({ state: "deleted", binding: undefined });
    expect(sandbox.records("svcDocumentTask").map(({ name }) => name)).toEqual(["Filter"]);
  });

  it("is noticed to be gone after a restart, and made again where the stream says so", async () => {
    await using stage = await setStage({
      syncFile: syncFile.replace("    match: [name]\n", "    match: [name]\n    gone: recreate\n"),
      environment,
    });
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", name1: "Muster AG" });
    for (const ticket_no of ["T-1", "T-2"]) erp.insertTicket({ ticket_no, customer_no: "10001", subject: ticket_no });
    expect(await synced(stage)).toBe("");
    const { id } = only(sandbox, "svcDocumentTask", "name", "T-1");
    sandbox.vanish("svcDocumentTask", id);
    erp.change("tickets", ["T-1"], { subject: "T-1 again" });
    expect(await synced(stage)).toBe("");
    expect(only(sandbox, "svcDocumentTask", "name", "T-1 again").id).not.toBe(id);
    expect(sandbox.records("svcDocumentTask")).toHaveLength(2);
  });
});

/** A task below the visit of one customer, which the ERP then moves to that of another. */
async function moved(stage: Stage): Promise<{ task: number; from: number; to: number }> {
  const { erp, sandbox } = stage;
  for (const customer_no of ["10001", "10002"]) erp.insertCustomer({ customer_no, name1: `Kunde ${customer_no}` });
  erp.insertTicket({ ticket_no: "T-1", customer_no: "10001", subject: "Pump leaks" });
  expect(await synced(stage)).toBe("");
  const below = (customer_no: string) => only(sandbox, "svcDocument", "erpReferenceNumber", customer_no).id;
  erp.change("tickets", ["T-1"], { customer_no: "10002", subject: "Pump is loud" });
  const { id } = only(sandbox, "svcDocumentTask", "name", "Pump leaks");
  return { task: id, from: below("10001"), to: below("10002") };
}

describe("a nested record that the ERP moves to another parent", () => {
  it("is parked with both parents named, and nothing of it is written", async () => {
    await using stage = await setStage({ syncFile, environment });
    const { task: id, from, to } = await moved(stage);
    expect((await stage.command("sync")).code).toBe(1);
    expect((await stage.view(task))!.error).toMatchObject({
      code: "E_PARENT_CHANGED",
      details: { resource: "svcDocumentTask", serviceId: id, field: "svcDocument", from, to },
    });
    expect(stage.sandbox.records("svcDocumentTask")).toMatchObject([{ id, svcDocument: from, name: "Pump leaks" }]);
    expect((await stage.command("records")).stdout).toContain('"svcsync retry tasks/T-1"');
  });

  it("is delivered where it is if the ERP moves it back", async () => {
    await using stage = await setStage({ syncFile, environment });
    const { task: id, from } = await moved(stage);
    expect((await stage.command("sync")).code).toBe(1);
    stage.erp.change("tickets", ["T-1"], { customer_no: "10001" });
    expect(await synced(stage)).toBe("");
    expect(stage.sandbox.records("svcDocumentTask")).toMatchObject([{ id, svcDocument: from, name: "Pump is loud" }]);
  });

  it("is created below its new parent once a person has deleted it below the old one", async () => {
    await using stage = await setStage({ syncFile, environment });
    const { task: id, to } = await moved(stage);
    expect((await stage.command("sync")).code).toBe(1);
    stage.sandbox.vanish("svcDocumentTask", id);
    expect((await stage.command("retry", "tasks/T-1")).code).toBe(0);
    expect(await synced(stage)).toBe("");
    expect(stage.sandbox.records("svcDocumentTask")).toMatchObject([{ svcDocument: to, name: "Pump is loud" }]);
  });

  it("is deleted and created below its new parent where the stream says so", async () => {
    await using stage = await setStage({
      syncFile: syncFile.replace("    match: [name]\n", "    match: [name]\n    moved: recreate\n"),
      environment,
    });
    const { task: old, to } = await moved(stage);
    expect(await synced(stage)).toBe("");
    const [made, ...more] = stage.sandbox.records("svcDocumentTask");
    expect(more).toEqual([]);
    expect(made).toMatchObject({ svcDocument: to, name: "Pump is loud" });
    expect(made!.id).not.toBe(old);
    expect((await stage.view(task))!.binding).toEqual({ resource: "svcDocumentTask", serviceId: made!.id });
  });
});

async function bindings(stage: Stage): Promise<Map<string, number | undefined>> {
  await using store = await stage.store();
  const views = await store.records({ limit: 100 });
  return new Map(views.map(({ id, binding }) => [`${id.stream}/${id.key}`, binding?.serviceId]));
}

describe("nested records whose store was lost", () => {
  const belowParent = syncFile.replace("    match: [name]\n", "    match: [svcDocument, name]\n");

  /** Two visits, each with tasks of the same names. */
  async function inStep(): Promise<{ stage: Stage; known: Map<string, number | undefined> }> {
    const stage = await setStage({ syncFile: belowParent, environment });
    for (const customer_no of ["10001", "10002"]) {
      stage.erp.insertCustomer({ customer_no, name1: `Kunde ${customer_no}` });
      for (const subject of ["Filter", "Pump"])
        stage.erp.insertTicket({ ticket_no: `T-${customer_no}-${subject}`, customer_no, subject });
    }
    expect(await synced(stage)).toBe("");
    return { stage, known: await bindings(stage) };
  }

  it("are found again below their parents by rebuild: the same bindings, without a single write", async () => {
    const { stage, known } = await inStep();
    await using _ = stage;
    expect([...known.values()].filter((id) => id !== undefined)).toHaveLength(8);
    await rm(stage.dataDir, { recursive: true });
    const before = writeRequests(stage.sandbox);
    const planned = await stage.command("rebuild");
    expect(planned.stdout).toMatch(/tasks +0 +4 +0 +0 /);
    expect((await stage.command("rebuild", "--confirm")).code).toBe(0);
    expect(await bindings(stage)).toEqual(known);
    expect(writeRequests(stage.sandbox) - before).toBe(0);
    stage.erp.change("tickets", ["T-10001-Pump"], { subject: "Pump is loud" });
    expect(await synced(stage)).toBe("");
    expect(sent(stage.sandbox, "svcDocumentTask", "edit")).toEqual([{ name: "Pump is loud" }]);
  });

  it("are adopted by a new store whose streams are held, deleted ones are deleted, new ones created", async () => {
    const { stage, known } = await inStep();
    await using _ = stage;
    await rm(stage.dataDir, { recursive: true });
    stage.erp.flagDeleted("tickets", ["T-10001-Filter"]);
    stage.erp.insertTicket({ ticket_no: "T-new", customer_no: "10002", subject: "Valve" });
    const held = await stage.command("sync");
    expect(held.code).toBe(1);
    expect(held.stderr).toContain("E_ADOPTION_NEEDED");
    expect((await stage.command("adopt", "--confirm")).code).toBe(0);
    expect(await synced(stage)).toBe("");
    const found = await bindings(stage);
    expect(found.get("tasks/T-10002-Pump")).toBe(known.get("tasks/T-10002-Pump"));
    expect(found.get("tasks/T-10001-Filter")).toBeUndefined();
    const names = stage.sandbox.records("svcDocumentTask").map(({ name }) => name);
    expect(names.map(String).toSorted()).toEqual(["Filter", "Pump", "Pump", "Valve"]);
  });
});
