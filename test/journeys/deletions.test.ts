import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { customersStream } from "../setup/customers-stream.ts";
import { only, setStage, until, untilState, type Stage } from "./stage.ts";

const customer = { stream: "customers", key: "10001" };
const contact = { stream: "contacts", key: "10001|1" };

/** Customers and contacts whose deletion is a deletion in the service too. */
const deleting = `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
${customersStream()}    deleted: { when: "deleted = 1", delete: true }
  contacts:
    source: erp
    read: { table: contacts, key: [customer_no, contact_no], changed: updated_at }
    resource: customerContact
    match: [customer, name]
    fields:
      customer: { ref: customers, key: customer_no }
      name: last_name
    deleted: { when: "deleted = 1", delete: true }
`;

const unguarded = { DELETE_GUARD_PERCENT: "100", DELETE_GUARD_COUNT: "1000" };

/** Ten customers in sync. */
async function tenCustomers(environment: Readonly<Record<string, string>>, syncFile = deleting): Promise<Stage> {
  const stage = await setStage({ syncFile, environment });
  for (let at = 1; at <= 10; at++) stage.erp.insertCustomer({ customer_no: String(10_000 + at) });
  expect((await stage.command("sync")).code).toBe(0);
  return stage;
}

describe("a flagged deletion", () => {
  it("sets the fields that the stream names and nothing else, and the record stays", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001" });
    expect((await stage.command("sync")).code).toBe(0);
    const puts = sandbox.ledger.count({ method: "PUT" });
    erp.change("customers", ["10001"], { deleted: 1, name1: "soll nicht mehr ankommen" });
    expect((await stage.command("sync")).code).toBe(0);
    const record = only(sandbox, "customer", "customerId", "10001");
    expect(record["customerStatus"]).toBe(only(sandbox, "customerStatus", "name", "Inactive").id);
    expect(record["name"]).toBe("Kunde 10001");
    expect(sandbox.ledger.count({ method: "PUT" }) - puts).toBe(1);
    expect((await stage.view(customer))!.state).toBe("deleted");
  });

  it("gives a record that comes back its old counterpart", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", name1: "Alt GmbH" });
    expect((await stage.command("sync")).code).toBe(0);
    const { id } = only(sandbox, "customer", "customerId", "10001");
    erp.flagDeleted("customers", ["10001"]);
    expect((await stage.command("sync")).code).toBe(0);
    erp.change("customers", ["10001"], { deleted: 0, name1: "Neu GmbH" });
    expect((await stage.command("sync")).code).toBe(0);
    expect(only(sandbox, "customer", "customerId", "10001")).toMatchObject({
      id,
      name: "Neu GmbH",
      customerStatus: only(sandbox, "customerStatus", "name", "Active").id,
    });
    expect((await stage.view(customer))!.binding).toEqual({ resource: "customer", serviceId: id });
  });

  it("of a parent waits until its deleted children are gone: children before their parents", async () => {
    await using stage = await setStage({ syncFile: deleting });
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001" });
    erp.insertContact({ customer_no: "10001", contact_no: 1 });
    await using running = await stage.start();
    const { store } = running;
    await untilState(store, "applied", customer, contact);
    erp.flagDeleted("customers", ["10001"]);
    const [waiting] = await untilState(store, "waiting", customer);
    expect(waiting!.error!.code).toBe("E_CHILDREN_FIRST");
    expect(waiting!.attempts).toBe(0);
    erp.flagDeleted("contacts", ["10001", 1]);
    await untilState(store, "deleted", contact, customer);
    const deletes = sandbox.ledger.writes({ action: "delete" });
    expect(deletes.map(({ resource }) => resource)).toEqual(["customerContact", "customer"]);
  });

  it("of a parent waits for deleted children that are yet to be found in the service, after the store was lost", async () => {
    await using stage = await setStage({ syncFile: deleting });
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001" });
    erp.insertContact({ customer_no: "10001", contact_no: 1 });
    expect((await stage.command("sync")).code).toBe(0);
    await rm(stage.dataDir, { recursive: true });
    erp.flagDeleted("customers", ["10001"]);
    erp.flagDeleted("contacts", ["10001", 1]);
    await stage.command("rebuild");
    {
      await using store = await stage.store();
      for (const { stream } of [customer, contact]) await store.decideAdoption(stream, "adopt");
    }
    // The look for the contact takes longer than all that the customer's deletion needs.
    sandbox.faults.add({ kind: "latency", ms: 2_000, resource: "customerContact", method: "GET" });
    await using running = await stage.start();
    await untilState(running.store, "deleted", contact, customer);
    const deletes = sandbox.ledger.writes({ action: "delete" });
    expect(deletes.map(({ resource }) => resource)).toEqual(["customerContact", "customer"]);
  });

  it("of a record that was deleted in the service already ends in agreement", async () => {
    await using stage = await setStage({ syncFile: deleting });
    stage.erp.insertCustomer({ customer_no: "10001" });
    expect((await stage.command("sync")).code).toBe(0);
    stage.sandbox.vanish("customer", only(stage.sandbox, "customer", "customerId", "10001").id);
    stage.erp.flagDeleted("customers", ["10001"]);
    expect((await stage.command("sync")).code).toBe(0);
    expect(await stage.view(customer)).toMatchObject({ state: "deleted", binding: undefined });
  });
});

describe("a row that vanished without a trace", () => {
  it("is deleted only after two complete sweeps in a row did not find it", async () => {
    await using stage = await tenCustomers(unguarded);
    await using running = await stage.start();
    const { store, log } = running;
    stage.erp.deleteRow("customers", ["10001"]);
    await untilState(store, "deleted", customer);
    expect(stage.sandbox.records("customer")).toHaveLength(9);
    const sweeps = log.lines("stream swept").filter(({ stream }) => stream === "customers");
    const confirming = sweeps.findIndex(({ confirmed }) => confirmed === 1);
    expect(confirming).toBeGreaterThan(0);
    expect(sweeps[confirming - 1]).toMatchObject({ suspects: 1, confirmed: 0 });
  });

  it("that is back before the second sweep is never deleted", async () => {
    await using stage = await tenCustomers(unguarded);
    await using running = await stage.start();
    const { store, log } = running;
    const sweeps = () => log.lines("stream swept").filter(({ stream }) => stream === "customers");
    stage.erp.deleteRow("customers", ["10001"]);
    await until("a sweep suspected it", () => sweeps().some(({ suspects }) => suspects === 1));
    stage.erp.insertCustomer({ customer_no: "10001" });
    const seen = sweeps().length;
    await until("two more sweeps ended", () => sweeps().length >= seen + 2);
    expect((await store.record(customer))!.deleted).toBe(false);
    expect(stage.sandbox.records("customer")).toHaveLength(10);
    expect(stage.sandbox.ledger.count({ method: "DELETE" })).toBe(0);
  });
});

/** Earlier than the overlap of any poll reaches. */
const longAgo = "2020-01-01 00:00:00.000";

describe("a record that is hidden in the ERP", () => {
  it("and shown again with its old stamp arrives with what changed meanwhile", async () => {
    await using stage = await tenCustomers(unguarded);
    await using running = await stage.start();
    const { store } = running;
    stage.erp.hide("customers", ["10001"]);
    await untilState(store, "deleted", customer);
    expect(stage.sandbox.records("customer")).toHaveLength(9);
    stage.erp.show({ name1: "Wieder da GmbH", updated_at: longAgo });
    await untilState(store, "applied", customer);
    expect(only(stage.sandbox, "customer", "customerId", "10001")["name"]).toBe("Wieder da GmbH");
  });

  it("and shown again before it counts as deleted is read again too", async () => {
    await using stage = await tenCustomers(unguarded);
    await using running = await stage.start();
    stage.erp.hide("customers", ["10001"]);
    await until("a sweep suspected it", () => running.log.lines("stream swept").some(({ suspects }) => suspects === 1));
    stage.erp.show({ name1: "Wieder da GmbH", updated_at: longAgo });
    await until("its change arrived", () =>
      stage.sandbox.records("customer").some(({ name }) => name === "Wieder da GmbH"),
    );
    expect(stage.sandbox.ledger.count({ method: "DELETE" })).toBe(0);
  });

  it("from the beginning arrives at the sweep after it is shown", async () => {
    await using stage = await setStage({ syncFile: deleting, environment: unguarded });
    stage.erp.insertCustomer({ customer_no: "10001" });
    stage.erp.hide("customers", ["10001"]);
    stage.erp.insertCustomer({ customer_no: "10002" });
    await using running = await stage.start();
    await untilState(running.store, "applied", { stream: "customers", key: "10002" });
    stage.erp.show({ updated_at: longAgo });
    await untilState(running.store, "applied", customer);
    expect(stage.sandbox.records("customer")).toHaveLength(2);
  });
});

describe("the guard", () => {
  it("holds more deletions than it lets pass, says so, and lets go as many as a person confirms", async () => {
    await using stage = await tenCustomers({ DELETE_GUARD_PERCENT: "20", DELETE_GUARD_COUNT: "50" });
    const { erp, sandbox } = stage;
    await using running = await stage.start();
    const { store, log } = running;
    for (const key of ["10001", "10002", "10003"]) erp.deleteRow("customers", [key]);
    await until("the guard held them", async () => {
      const views = await store.records({ stream: "customers", states: ["waiting"], limit: 10 });
      return views.filter(({ error }) => error?.code === "E_DELETION_HELD").length === 3;
    });
    expect(log.lines("deletions were held by the guard")).toHaveLength(1);
    expect(sandbox.records("customer")).toHaveLength(10);
    expect((await stage.command("status")).stdout).toContain("more than the deletion guard allows");
    const shown = await stage.command("deletions");
    expect(shown.stdout).toContain("customers: 3 of 10 records are missing in the ERP");
    expect(shown.stdout).toContain("10001");
    expect(sandbox.ledger.count({ method: "DELETE" })).toBe(0);

    const confirm = (count: string) => stage.command("deletions", "customers", "--confirm", "--count", count);
    expect(shown.stdout).toContain('if they are intended: "svcsync deletions customers --confirm --count 3"');
    expect((await stage.command("status")).stdout).toContain(
      '"svcsync deletions customers" shows them, and how to confirm them',
    );
    expect(await confirm("2")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("3 deletions of customers are held now, but you confirmed 2"),
    });
    expect((await confirm("3")).code).toBe(0);
    await until("they are deleted", () => sandbox.records("customer").length === 7);
    await until("the status is calm again", async () => !(await stage.command("status")).stdout.includes("guard"));
    const states = await Promise.all(
      ["10001", "10002", "10003"].map((key) => store.record({ stream: "customers", key })),
    );
    for (const view of states) expect(view!.state).toBe("deleted");
  });

  it("holds a mass of flagged deletions whole, and counts what was deleted before", async () => {
    await using stage = await tenCustomers({ DELETE_GUARD_PERCENT: "50", DELETE_GUARD_COUNT: "4" });
    const { erp, sandbox } = stage;
    for (const key of ["10001", "10002"]) erp.flagDeleted("customers", [key]);
    expect((await stage.command("sync")).code).toBe(0);
    expect(sandbox.records("customer")).toHaveLength(8);
    for (let at = 3; at <= 10; at++) erp.flagDeleted("customers", [String(10_000 + at)]);
    await stage.command("sync");
    expect(sandbox.records("customer")).toHaveLength(8);
    expect((await stage.command("deletions")).stdout).toContain("customers: 8 of 8 records");
    erp.change("customers", ["10003"], { deleted: 0 });
    await stage.command("sync");
    expect((await stage.command("deletions", "--confirm")).stdout).toContain(
      "confirmed; 7 records will be deleted next",
    );
    expect((await stage.command("sync")).code).toBe(0);
    expect(sandbox.records("customer")).toHaveLength(1);
    erp.flagDeleted("customers", ["10003"]);
    expect((await stage.command("sync")).code).toBe(0);
    expect(sandbox.records("customer")).toHaveLength(0);
  });

  it("says of deletions that set fields that the records stay, and keeps them", async () => {
    const setting = deleting.replace("delete: true", "set: { name: gone }");
    await using stage = await tenCustomers({ DELETE_GUARD_PERCENT: "1" }, setting);
    const { erp, sandbox } = stage;
    for (const key of ["10001", "10002", "10003"]) erp.flagDeleted("customers", [key]);
    await stage.command("sync");
    const { stdout } = await stage.command("deletions", "customers", "--confirm");
    expect(stdout).toContain("confirmed; the fields of 3 records will be set next, and the records stay.");
    await stage.command("sync");
    expect(sandbox.records("customer").filter(({ name }) => name === "gone")).toHaveLength(3);
    expect(sandbox.records("customer")).toHaveLength(10);
  });

  it("lets single deletions of a small stream pass", async () => {
    await using stage = await tenCustomers({});
    stage.erp.flagDeleted("customers", ["10001"]);
    expect((await stage.command("sync")).code).toBe(0);
    expect(stage.sandbox.records("customer")).toHaveLength(9);
  });

  it("lets a person confirm that the ERP was emptied", async () => {
    await using stage = await tenCustomers({});
    await using running = await stage.start();
    for (let at = 1; at <= 10; at++) stage.erp.deleteRow("customers", [String(10_000 + at)]);
    await until("the sweep was refused", async () => {
      const { error } = await running.store.stream("customers");
      return error?.code === "E_SWEEP_EMPTY";
    });
    const shown = await stage.command("deletions", "customers", "--confirm");
    expect(shown.stdout).toContain("the ERP returned no record, but 10 are known");
    await until("all are deleted", () => stage.sandbox.records("customer").length === 0);
    await until("nothing waits for a person", async () => (await stage.command("deletions")).code === 0);
  });

  it("does not let an empty ERP delete anything without a person's word, however wide it is", async () => {
    await using stage = await tenCustomers(unguarded);
    await using running = await stage.start();
    for (let at = 1; at <= 10; at++) stage.erp.deleteRow("customers", [String(10_000 + at)]);
    await until("the sweep was refused", async () => {
      const { error } = await running.store.stream("customers");
      return error?.code === "E_SWEEP_EMPTY";
    });
    const failed = running.log.lines("poll failed again").length;
    await until("it was refused again", () => running.log.lines("poll failed again").length >= failed + 2);
    expect(stage.sandbox.records("customer")).toHaveLength(10);
    expect(stage.sandbox.ledger.count({ method: "DELETE" })).toBe(0);
  });
});
