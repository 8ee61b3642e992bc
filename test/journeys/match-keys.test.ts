import { describe, expect, it } from "vitest";
import { respelledNote } from "../../src/pipeline/notes.ts";
import { only, sent, setStage, shippedSyncFile, untilState } from "./stage.ts";

const customers = (fields: string, match: string) => `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
  customers:
    source: erp
    read: { table: customers, key: customer_no, changed: updated_at }
    resource: customer
    match: ${match}
    fields:
      customerId: customer_no
      ${fields}
      name: name1
      customerStatus: { lookup: customerStatus, by: name, value: { const: Active } }
`;

describe("two records of the ERP with one natural key", () => {
  const byDomain = customers("wildcardAddress: email_domain", "[wildcardAddress]");

  it("become one of the service: the second is parked, and names the first", async () => {
    await using stage = await setStage({ syncFile: byDomain });
    for (const customer_no of ["10001", "10002", "10003"])
      stage.erp.insertCustomer({ customer_no, email_domain: "same.example" });
    expect((await stage.command("sync")).code).toBe(1);
    expect(stage.sandbox.records("customer")).toHaveLength(1);
    await using store = await stage.store();
    const views = await store.records({ stream: "customers", limit: 10 });
    const bound = views.find(({ binding }) => binding)!;
    const parked = views.filter(({ state }) => state === "parked");
    expect(parked).toHaveLength(2);
    for (const { id, error } of parked) {
      expect(error).toMatchObject({ code: "E_MATCH_TAKEN", details: { owner: `customers/${bound.id.key}` } });
      expect(error!.message).toContain(`customers/${id.key} and customers/${bound.id.key}`);
    }
  });

  it("are two where the stream says that the key may be shared", async () => {
    const syncFile = customers("wildcardAddress: email_domain", "{ fields: [wildcardAddress], shared: true }");
    await using stage = await setStage({ syncFile });
    for (const customer_no of ["10001", "10002"])
      stage.erp.insertCustomer({ customer_no, email_domain: "same.example" });
    expect((await stage.command("sync")).code).toBe(0);
    expect(stage.sandbox.records("customer")).toHaveLength(2);
  });

  it("are two once the first has another key, and the second was retried", async () => {
    await using stage = await setStage({ syncFile: byDomain });
    stage.erp.insertCustomer({ customer_no: "10001", email_domain: "same.example" });
    await stage.command("sync");
    stage.erp.insertCustomer({ customer_no: "10002", email_domain: "same.example" });
    expect((await stage.command("sync")).code).toBe(1);
    stage.erp.change("customers", ["10001"], { email_domain: "other.example" });
    await stage.command("sync");
    await stage.command("retry", "customers/10002");
    expect((await stage.command("sync")).code).toBe(0);
    expect(only(stage.sandbox, "customer", "wildcardAddress", "same.example")).toBeDefined();
    expect(only(stage.sandbox, "customer", "wildcardAddress", "other.example")).toBeDefined();
  });
});

describe("a match field that the service does not keep", () => {
  const misspelt = customers("custmerId: customer_no", "[custmerId]");
  const corrected = customers("info: remarks", "[customerId]");

  it("stops the stream after its first record, and a restart does not open it", async () => {
    await using stage = await setStage({ syncFile: misspelt });
    for (let at = 1; at <= 20; at++) stage.erp.insertCustomer({ customer_no: String(10_000 + at) });
    for (const _ of [1, 2]) {
      const held = await stage.command("sync");
      expect(held.code).toBe(1);
      expect(held.stdout).toContain("the service does not keep custmerId");
      expect(sent(stage.sandbox, "customer", "create")).toHaveLength(1);
    }
    await stage.edit(() => corrected);
    await stage.command("adopt", "--confirm");
    await stage.command("sync");
    expect(stage.sandbox.records("customer")).toHaveLength(20);
  });

  it("keeps the gate closed where no record carries it, and adopt says so", async () => {
    await using stage = await setStage({ syncFile: misspelt });
    const customerStatus = only(stage.sandbox, "customerStatus", "name", "Active").id;
    stage.sandbox.seed("customer", [{ customerId: "10001", name: "A", customerStatus }]);
    stage.erp.insertCustomer({ customer_no: "10001", name1: "A" });
    expect((await stage.command("sync")).stdout).toContain("none of them has a value in custmerId");
    const confirmed = await stage.command("adopt", "--confirm");
    expect(confirmed.code).toBe(1);
    expect(confirmed.stderr).toContain("none of the service's records has a value in custmerId");
    await stage.command("sync");
    expect(sent(stage.sandbox, "customer", "create")).toEqual([]);
  });
});

describe("an answer that once showed another value of a match field", () => {
  it("does not make its records unsearchable for ever", async () => {
    await using stage = await setStage({ syncFile: await shippedSyncFile() });
    stage.erp.insertCustomer({ customer_no: "10001" });
    await stage.command("sync");
    const { id } = only(stage.sandbox, "customer", "customerId", "10001");
    {
      await using store = await stage.store();
      await store.saveNote(respelledNote("customers", "customerId"), { resource: "customer", serviceId: id });
    }
    // A create that never arrives.
    stage.sandbox.faults.add({ kind: "cut", when: "before", method: "POST", resource: "customer", count: 1 });
    stage.erp.insertCustomer({ customer_no: "10002" });
    await using running = await stage.start();
    await untilState(running.store, "applied", { stream: "customers", key: "10002" });
    expect(await running.store.note(respelledNote("customers", "customerId"))).toBeUndefined();
  });
});
