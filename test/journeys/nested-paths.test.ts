import { describe, expect, it } from "vitest";
import { only, sent, setStage, type Stage } from "./stage.ts";

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
