import { describe, expect, it } from "vitest";
import { only, sent, setStage, until, untilState, writeRequests } from "./stage.ts";

const customer = { stream: "customers", key: "10001" };
const ticket = { stream: "tickets", key: "T-1" };

describe("a change of the ERP", () => {
  it("reaches the service by one PUT that carries the changed field alone", async () => {
    await using stage = await setStage({ environment: { POLL_INTERVAL_SECONDS: "1" } });
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", name1: "Alt GmbH", short_name: "ALT", warning: "Hund" });
    await using running = await stage.start();
    await untilState(running.store, "applied", customer);
    await until("every stream is open", () => running.daemon.holds.open().length === 4);
    const before = sandbox.ledger.count();
    const renamed = sandbox.ledger.next({ method: "PUT", resource: "customer" });
    erp.renameCustomer("10001", 'Grün & Söhne "Kälte" GmbH');
    await renamed;
    await untilState(running.store, "applied", customer);
    expect(sent(sandbox, "customer", "edit")).toEqual([{ name: 'Grün & Söhne "Kälte" GmbH' }]);
    expect(sandbox.ledger.count() - before).toBe(1);
  });

  it("that the service refuses leaves nothing in doubt: mended, it is sent once", async () => {
    await using stage = await setStage({ environment: { SETTLE_LAG_SECONDS: "3600" } });
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", name1: "Alt GmbH" });
    await using running = await stage.start();
    await untilState(running.store, "applied", customer);
    erp.breakOne("10001");
    await untilState(running.store, "parked", customer);
    erp.renameCustomer("10001", "Neu GmbH");
    await untilState(running.store, "applied", customer);
    expect(sent(sandbox, "customer", "edit")).toEqual([{ name: "Neu GmbH" }]);
    expect(sandbox.ledger.count({ method: "PUT", resource: "customer" })).toBe(2);
  });

  it("is one write however often the record changed while another write was on its way: the latest wins", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", name1: "Name 0" });
    await using running = await stage.start();
    await untilState(running.store, "applied", customer);
    sandbox.faults.add({ kind: "latency", ms: 1_500, resource: "customer", method: "PUT", count: 1 });
    erp.renameCustomer("10001", "Name 1");
    await untilState(running.store, "claimed", customer);
    for (let at = 2; at <= 20; at++) erp.renameCustomer("10001", `Name ${at}`);
    await until("the last name arrived", () => only(sandbox, "customer", "customerId", "10001")["name"] === "Name 20");
    await untilState(running.store, "applied", customer);
    expect(sent(sandbox, "customer", "edit")).toEqual([{ name: "Name 1" }, { name: "Name 20" }]);
  });

  it("costs no request when the row was only touched, or changed in columns that nobody maps", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001" });
    await using running = await stage.start();
    const { store } = running;
    await untilState(store, "applied", customer);
    await until("every stream is open", () => running.daemon.holds.open().length === 4);
    const before = sandbox.ledger.count();
    const { sequence } = (await store.record(customer))!;
    erp.touch("customers", ["10001"]);
    await until("the touch was read and delivered", async () => {
      const view = (await store.record(customer))!;
      return view.sequence > sequence && view.appliedSequence === view.sequence;
    });
    expect(sandbox.ledger.count()).toBe(before);
  });
});

describe("what people do in the service", () => {
  it("stays: fields that nobody maps, fields that are written at creation only, and tags of others", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", remarks: "vom ERP" });
    erp.insertTicket({ ticket_no: "T-1", customer_no: "10001", tags: "Garantie,Wartung" });
    expect((await stage.command("sync")).code).toBe(0);
    const tag = (name: string) => only(sandbox, "tag", "name", name).id;
    const record = only(sandbox, "customer", "customerId", "10001");
    sandbox.seed("customer", [{ ...record, inhouse: true, info: "von Hand" }]);
    const made = only(sandbox, "ticket", "erpReferenceNumber", "T-1");
    expect(made["tags"]).toEqual([tag("Garantie"), tag("Wartung")]);
    sandbox.seed("ticket", [{ ...made, tags: [tag("VIP"), tag("Garantie"), tag("Wartung")] }]);

    erp.change("customers", ["10001"], { name1: "Neu GmbH", remarks: "später im ERP" });
    erp.change("tickets", ["T-1"], { tags: "Wartung,Notdienst" });
    expect((await stage.command("sync")).code).toBe(0);
    expect(only(sandbox, "customer", "customerId", "10001")).toMatchObject({
      name: "Neu GmbH",
      inhouse: true,
      info: "von Hand",
    });
    const tags = only(sandbox, "ticket", "erpReferenceNumber", "T-1")["tags"];
    expect(new Set(Array.isArray(tags) ? tags : [])).toEqual(new Set([tag("VIP"), tag("Wartung"), tag("Notdienst")]));
    for (const body of sent(sandbox, "ticket", "edit")) expect(Object.keys(body)).toEqual(["tags"]);
    expect((await stage.view(ticket))!.state).toBe("applied");
  });
});

describe("a second sync", () => {
  it("writes nothing and reads no record, and says so", async () => {
    await using stage = await setStage({ rows: { customers: 30, contacts: 60, tickets: 40, orders: 30 } });
    const first = await stage.command("sync");
    expect(first.code).toBe(0);
    const before = stage.sandbox.ledger.count();
    const second = await stage.command("sync");
    expect(second.code).toBe(0);
    expect(stage.sandbox.ledger.count() - before).toBe(0);
    expect(second.stdout).toContain("Nothing to write: 0 requests to the service.");
  });
});

describe("an edited mapping", () => {
  it("maps every record again and sends only the field that differs, only where it differs", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", short_name: "alt" });
    erp.insertCustomer({ customer_no: "10002", short_name: "NEU" });
    erp.insertCustomer({ customer_no: "10003", short_name: null });
    expect((await stage.command("sync")).code).toBe(0);
    const before = writeRequests(sandbox);
    await stage.edit((text) => text.replace("shortName: short_name", 'shortName: { expr: "$uppercase(short_name)" }'));
    expect((await stage.command("sync")).code).toBe(0);
    expect(sent(sandbox, "customer", "edit")).toEqual([{ shortName: "ALT" }]);
    expect(writeRequests(sandbox) - before).toBe(1);
  });
});

describe("a stream that the sync file leads to another resource", () => {
  it("sends nothing to the other resource's record of the same id, and says what is", async () => {
    await using stage = await setStage({ syncFile: led("customer") });
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", name1: "Alt GmbH" });
    expect((await stage.command("sync")).code).toBe(0);
    const { id } = only(sandbox, "customer", "name", "Alt GmbH");
    await stage.edit(() => led("ticket"));
    sandbox.seed("ticket", [{ id, name: "Fremd" }]);
    erp.flagDeleted("customers", ["10001"]);
    expect((await stage.command("sync")).code).toBe(1);
    expect(await stage.view(customer)).toMatchObject({ state: "parked", error: { code: "E_RESOURCE_CHANGED" } });
    expect(sandbox.records("ticket").find((record) => record.id === id)!["name"]).toBe("Fremd");
  });
});

/** Customers that a deletion in the ERP renames, in a resource of the service. */
function led(resource: "customer" | "ticket"): string {
  return `
sources: { erp: { adapter: sql, url: "\${ERP_URL}" } }
streams:
  customers:
    source: erp
    read: { table: customers, key: customer_no, changed: updated_at }
    resource: ${resource}
    fields:
      name: name1
      ${resource === "customer" ? "customerId: customer_no\n      customerStatus: { lookup: customerStatus, by: name, value: { const: Active } }" : ""}
    deleted: { when: "deleted = 1", set: { name: { const: gone } } }
`;
}
