import { describe, expect, it } from "vitest";
import { only, sent, setStage, type Stage } from "./stage.ts";

/** Five customers in sync, of which then one was renamed by hand, one vanished and one was typed in a second time. */
async function drifted(): Promise<Stage> {
  const stage = await setStage();
  const { erp, sandbox } = stage;
  for (let at = 1; at <= 5; at++) erp.insertCustomer({ customer_no: String(10_000 + at), name1: `Kunde ${at}` });
  erp.insertTicket({ ticket_no: "T-1", customer_no: "10004", tags: "Garantie" });
  expect((await stage.command("sync")).code).toBe(0);
  const record = (at: number) => only(sandbox, "customer", "customerId", String(10_000 + at));
  sandbox.seed("customer", [{ ...record(1), name: "Von Hand", inhouse: true }]);
  sandbox.vanish("customer", record(2).id);
  const { id: _, ...copy } = record(3);
  sandbox.seed("customer", [copy]);
  const ticket = only(sandbox, "ticket", "erpReferenceNumber", "T-1");
  sandbox.seed("ticket", [{ ...ticket, tags: [only(sandbox, "tag", "name", "VIP").id] }]);
  return stage;
}

describe("reconcile", () => {
  it("is content when the service holds what was written", async () => {
    await using stage = await setStage({ rows: { customers: 20, contacts: 30, tickets: 20, orders: 10 } });
    expect((await stage.command("sync")).code).toBe(0);
    const result = await stage.command("reconcile");
    expect(result.code).toBe(0);
  });

  it("reports drifted fields with both values, missing records and doubled ones, and writes nothing", async () => {
    await using stage = await drifted();
    const before = stage.sandbox.ledger.writes().length;
    const { code, stdout } = await stage.command("reconcile");
    expect(code).toBe(1);
    expect(stdout).toContain('customers/10001: name was written as "Kunde 1" and is "Von Hand"');
    expect(stdout).toMatch(/customers\/10002: \d+ no longer exists in the service/);
    expect(stdout).toMatch(/customers\/10003: customer \d+ is there again as \d+/);
    expect(stdout).toContain("tickets/T-1: tags was written as");
    expect(stdout).not.toContain("inhouse");
    expect(stage.sandbox.ledger.writes()).toHaveLength(before);
    expect((await stage.command("sync")).stdout).toContain("Nothing to write");
  });

  it("--repair sends the owned fields that differ and no others", async () => {
    await using stage = await drifted();
    const { sandbox } = stage;
    expect((await stage.command("reconcile", "--repair", "--as", "anna", "--why", "audit")).code).toBe(1);
    expect((await stage.command("sync")).code).toBe(1);
    expect(sent(sandbox, "customer", "edit").filter(({ name }) => name === "Kunde 1")).toEqual([{ name: "Kunde 1" }]);
    expect(only(sandbox, "customer", "customerId", "10001")).toMatchObject({ name: "Kunde 1", inhouse: true });
    const tags = only(sandbox, "ticket", "erpReferenceNumber", "T-1")["tags"];
    const tag = (name: string) => only(sandbox, "tag", "name", name).id;
    expect(new Set(Array.isArray(tags) ? tags : [])).toEqual(new Set([tag("VIP"), tag("Garantie")]));
    expect(await stage.view({ stream: "customers", key: "10002" })).toMatchObject({
      state: "parked",
      error: { code: "E_RECORD_GONE" },
    });
    // What a person had written is not lost without a trace.
    const explained = await stage.command("explain", "customers/10001");
    expect(explained.stdout).toContain('before {"name":"Von Hand"}');
    expect(explained.stdout).toContain('by anna (command): "audit"');
    const again = await stage.command("reconcile");
    expect(again.stdout).not.toContain("customers/10001");
    expect(again.stdout).not.toContain("tickets/T-1");
  });
});

describe("reconcile and deletions", () => {
  it("--repair writes again what a deletion had set and the service lost, and nothing else", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001" });
    expect((await stage.command("sync")).code).toBe(0);
    const active = only(sandbox, "customer", "customerId", "10001");
    erp.flagDeleted("customers", ["10001"]);
    expect((await stage.command("sync")).code).toBe(0);
    expect((await stage.command("reconcile")).code).toBe(0);
    const inactive = only(sandbox, "customer", "customerId", "10001")["customerStatus"];
    sandbox.seed("customer", [{ ...active, name: "Von Hand" }]);
    expect((await stage.command("reconcile")).stdout).toContain("customers/10001: customerStatus was written as");
    expect((await stage.command("reconcile", "--repair", "--as", "anna")).stdout).not.toContain("name was written");
    const before = sent(sandbox, "customer", "edit").length;
    expect((await stage.command("sync")).code).toBe(0);
    expect(sent(sandbox, "customer", "edit").slice(before)).toEqual([{ customerStatus: inactive }]);
    expect(await stage.view({ stream: "customers", key: "10001" })).toMatchObject({ state: "deleted" });
    expect((await stage.command("reconcile")).code).toBe(0);
  });
});

describe("reconcile and the ERP", () => {
  it("lists rows that the ERP shows and no poll has read, and --repair reads them", async () => {
    await using stage = await setStage({ environment: { SWEEP_INTERVAL_SECONDS: "86400" } });
    const { erp, sandbox } = stage;
    erp.insertOrder({ order_no: "A-1", customer_no: "10001" });
    erp.insertCustomer({ customer_no: "10001" });
    erp.insertCustomer({ customer_no: "10002" });
    erp.hide("customers", ["10002"]);
    expect((await stage.command("sync")).code).toBe(0);
    erp.show();
    const found = await stage.command("reconcile");
    expect(found.code).toBe(75);
    expect(found.stdout).toContain("customers/10002: it exists in the ERP, but svcsync has not read it");
    expect(found.stdout).not.toContain("customers/10001");
    const { stdout } = await stage.command("reconcile", "--json");
    const [customers] = JSON.parse(stdout).streams;
    expect(customers.drifts).toEqual([{ kind: "unread", id: { stream: "customers", key: "10002" } }]);
    expect((await stage.command("reconcile", "--repair", "--as", "anna")).code).toBe(0);
    const acts = await stage.command("history", "--acts");
    expect(acts.stdout).toMatch(/anna \(command\) +customers: reread \(1 rows that were not read\)/);
    expect((await stage.command("sync")).code).toBe(0);
    expect(only(sandbox, "customer", "customerId", "10002")).toBeDefined();
    expect((await stage.command("reconcile")).code).toBe(0);
  });

  it("says why rows could not be compared, and still compares the service", async () => {
    await using stage = await drifted();
    await stage.set({ ERP_URL: `sqlite:${stage.folder}/nowhere.sqlite` });
    const { code, stdout } = await stage.command("reconcile");
    expect(code).toBe(1);
    expect(stdout).toContain('customers/10001: name was written as "Kunde 1" and is "Von Hand"');
    expect(stdout).toMatch(/customers: the ERP's rows were not compared: .*\(E_SOURCE_\w+\)/);
  });
});
