import { describe, expect, it } from "vitest";
import { only, sent, setStage, until, untilState } from "./stage.ts";

const customer = { stream: "customers", key: "10001" };
const contact = { stream: "contacts", key: "10001|1" };
const ticket = { stream: "tickets", key: "T-1" };

/** Less than the minute after which a record that nobody woke would look again by itself. */
const ROUNDS_MS = 55_000;

describe("a child whose parent comes late", () => {
  it("waits without an attempt and without a request, and is there with its parent's id once the parent is", async () => {
    await using stage = await setStage();
    await using running = await stage.start();
    const { store } = running;
    stage.erp.insertContact({ customer_no: "10001", contact_no: 1, last_name: "Ångström" });
    const [waiting] = await untilState(store, "waiting", contact);
    expect(waiting).toMatchObject({ attempts: 0, waitsFor: [customer], dueAt: undefined });
    expect(stage.sandbox.ledger.count({ method: "POST" })).toBe(0);

    stage.erp.insertCustomer({ customer_no: "10001", name1: "Grün GmbH" });
    await untilState(store, "applied", customer, contact);
    const parent = only(stage.sandbox, "customer", "customerId", "10001");
    expect(only(stage.sandbox, "customerContact", "name", "Ångström")["customer"]).toBe(parent.id);
    expect(stage.sandbox.ledger.count({ method: "POST" })).toBe(2);
  });

  it("is woken in the transaction that binds its parent", async () => {
    await using stage = await setStage();
    stage.erp.insertContact({ customer_no: "10001", contact_no: 1 });
    await using running = await stage.start();
    const { store } = running;
    await untilState(store, "waiting", contact);
    // The service answers the parent's create and no request after it, so the child cannot get further than woken.
    stage.sandbox.faults.add({ kind: "latency", ms: 3_000, resource: "customerContact" });
    stage.erp.insertCustomer({ customer_no: "10001" });
    const states = await until("the parent is bound", async () => {
      const [parent, child] = await Promise.all([store.record(customer), store.record(contact)]);
      return parent?.binding && { parent: parent.state, child: child?.state };
    });
    expect(["due", "claimed"]).toContain(states.child);
    stage.sandbox.faults.clear();
    await untilState(store, "applied", contact);
  });

  it("waits through three levels and comes up from the root", async () => {
    await using stage = await setStage();
    await using running = await stage.start();
    const { store } = running;
    stage.erp.insertOrder({ order_no: "A-1", customer_no: "10001", ticket_no: "T-1" });
    stage.erp.insertTicket({ ticket_no: "T-1", customer_no: "10001", contact_no: 1 });
    const order = { stream: "orders", key: "A-1" };
    await untilState(store, "waiting", order, ticket);
    stage.erp.insertContact({ customer_no: "10001", contact_no: 1 });
    await untilState(store, "waiting", contact);
    stage.erp.insertCustomer({ customer_no: "10001" });
    await untilState(store, "applied", customer, contact, ticket, order);
    const { id } = only(stage.sandbox, "ticket", "erpReferenceNumber", "T-1");
    expect(only(stage.sandbox, "svcDocument", "erpReferenceNumber", "A-1")["ticket"]).toBe(id);
  });
});

describe("a child whose parent never comes", () => {
  it("is told of with the reason", async () => {
    await using stage = await setStage();
    stage.erp.insertContact({ customer_no: "10001", contact_no: 1 });
    await using running = await stage.start();
    await untilState(running.store, "waiting", contact);
    expect((await stage.command("status")).stdout).toContain(
      "1 record is blocked: contacts/10001|1 waits for customers/10001, which no poll has returned",
    );
    expect((await stage.command("explain", "contacts/10001|1")).stdout).toContain(
      "It waits for customers/10001, which no poll has returned.",
    );
  });
});

describe("a parent that is made anew while its child is being created", () => {
  it("is told to the service as the child's parent", async () => {
    await using stage = await setStage();
    await stage.edit((text) =>
      text.replace("    resource: customer\n", "    resource: customer\n    gone: recreate\n"),
    );
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", name1: "Alt GmbH" });
    await using running = await stage.start();
    const { store } = running;
    await untilState(store, "applied", customer);
    const old = only(sandbox, "customer", "customerId", "10001");
    sandbox.faults.add({ kind: "latency", ms: 3_000, when: "after", resource: "customerContact", method: "POST" });
    erp.insertContact({ customer_no: "10001", contact_no: 1, last_name: "Ångström" });
    await until("the child is created", () => sandbox.records("customerContact").length === 1);
    sandbox.vanish("customer", old.id);
    erp.renameCustomer("10001", "Neu GmbH");
    await until("the parent is made anew", async () => {
      const view = await store.record(customer);
      return view!.state === "applied" && view!.binding!.serviceId !== old.id;
    });
    await untilState(store, "applied", contact);
    const { id } = only(sandbox, "customer", "name", "Neu GmbH");
    expect(sent(sandbox, "customerContact", "edit")).toEqual([{ customer: id }]);
  });
});

describe("records of one stream that name each other", () => {
  it("are written without the own id first when a record names itself, and with it then", async () => {
    await using stage = await setStage();
    await stage.edit(withFollowUps);
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001" });
    erp.insertTicket({ ticket_no: "T-1", customer_no: "10001", contact_no: null, body: "T-1" });
    await using running = await stage.start();
    await until("it names itself", () => {
      const [made] = sandbox.records("ticket");
      return made !== undefined && made["externalSla"] === made.id;
    });
    await untilState(running.store, "applied", ticket);
    expect(sent(sandbox, "ticket", "create")).toHaveLength(1);
    expect(sent(sandbox, "ticket", "edit")).toHaveLength(1);
  });

  it("are told of as a circle when they wait for each other", async () => {
    await using stage = await setStage();
    await stage.edit(withFollowUps);
    const { erp } = stage;
    erp.insertCustomer({ customer_no: "10001" });
    erp.insertTicket({ ticket_no: "T-1", customer_no: "10001", contact_no: null, body: "T-2" });
    erp.insertTicket({ ticket_no: "T-2", customer_no: "10001", contact_no: null, body: "T-1" });
    await using running = await stage.start();
    const other = { stream: "tickets", key: "T-2" };
    await until("they wait for nobody but each other", async () => {
      const views = await Promise.all([ticket, other].map((id) => running.store.record(id)));
      return views.every((view) => view?.state === "waiting" && view.waitsFor.length === 1);
    });
    expect((await stage.command("status")).stdout).toContain(
      "2 records are blocked: tickets/T-1 waits for tickets/T-2, which waits for it in turn",
    );
    expect((await stage.command("explain", "tickets/T-2")).stdout).toContain(
      "It waits for tickets/T-1, which waits for it in turn.",
    );
  });
});

/** Tickets whose text names another ticket of the ERP. */
function withFollowUps(text: string): string {
  return text.replace(
    "      erpReferenceNumber: ticket_no\n",
    "      erpReferenceNumber: ticket_no\n      externalSla: { ref: tickets, key: body }\n",
  );
}

describe("an optional reference", () => {
  it("to a record that the ERP has not shown does not keep a sync from its end", async () => {
    await using stage = await setStage();
    stage.erp.insertCustomer({ customer_no: "10001" });
    stage.erp.insertOrder({ order_no: "A-1", customer_no: "10001", ticket_no: "T-1" });
    const { code, stdout } = await stage.command("sync");
    expect(stdout).toContain("orders/A-1 waits for tickets/T-1, which no poll has returned");
    expect(code).toBe(0);
  });

  it(
    "stays empty while the ERP says that its parent is gone, and is filled when the parent comes back",
    async () => {
      await using stage = await setStage();
      const { erp, sandbox } = stage;
      erp.insertCustomer({ customer_no: "10001" });
      erp.insertContact({ customer_no: "10001", contact_no: 1, deleted: 1 });
      erp.insertTicket({ ticket_no: "T-1", customer_no: "10001", contact_no: 1 });
      await using running = await stage.start();
      const { store } = running;
      await untilState(store, "deleted", contact);
      await untilState(store, "applied", ticket);
      expect(only(sandbox, "ticket", "erpReferenceNumber", "T-1")["customerContact"] ?? null).toBeNull();

      erp.change("contacts", ["10001", 1], { deleted: 0 });
      await untilState(store, "applied", contact);
      const { id } = only(sandbox, "customerContact", "customer", only(sandbox, "customer", "customerId", "10001").id);
      await until(
        "the ticket names the contact",
        () => only(sandbox, "ticket", "erpReferenceNumber", "T-1")["customerContact"] === id,
      );
    },
    ROUNDS_MS,
  );
});
