import { describe, expect, it } from "vitest";
import { only, setStage, until, untilState, type Stage } from "./stage.ts";

const customer = { stream: "customers", key: "10001" };
const contact = { stream: "contacts", key: "10001|1" };

async function boundAndGone(stage: Stage): Promise<number> {
  stage.erp.insertCustomer({ customer_no: "10001", name1: "Alt GmbH" });
  stage.erp.insertContact({ customer_no: "10001", contact_no: 1, last_name: "Ångström" });
  stage.erp.insertTicket({ ticket_no: "T-1", customer_no: "10001" });
  expect((await stage.command("sync")).code).toBe(0);
  const { id } = only(stage.sandbox, "customer", "customerId", "10001");
  stage.sandbox.vanish("customer", id);
  stage.erp.renameCustomer("10001", "Neu GmbH");
  return id;
}

describe("a record that somebody deleted in the service", () => {
  it.each(["404", "400", "empty", "null"] as const)(
    "is parked for a person when the ERP changes it, and not created again (a missing record answers %s)",
    async (notFound) => {
      await using stage = await setStage({ service: { notFound } });
      await boundAndGone(stage);
      expect((await stage.command("sync")).code).toBe(1);
      expect(await stage.view(customer)).toMatchObject({ state: "parked", error: { code: "E_RECORD_GONE" } });
      expect(stage.sandbox.records("customer")).toEqual([]);
    },
  );

  it("is created again when the person says so, as the remedy of its error reads", async () => {
    await using stage = await setStage();
    await boundAndGone(stage);
    expect((await stage.command("sync")).code).toBe(1);
    expect((await stage.command("records")).stdout).toContain('"svcsync resolve customers/10001 --create"');
    expect(await stage.command("resolve", "customers/10001", "--create")).toMatchObject({ code: 0, stderr: "" });
    expect((await stage.command("sync")).code).toBe(0);
    expect(stage.sandbox.records("customer")).toMatchObject([{ customerId: "10001", name: "Neu GmbH" }]);
  });

  it("is the one with its natural key that is nobody's, where people made it again or merged it", async () => {
    await using stage = await setStage();
    await boundAndGone(stage);
    const [other] = stage.sandbox.seed("customer", [{ customerId: "10001", name: "Von Hand", info: "neu angelegt" }]);
    expect((await stage.command("sync")).code).toBe(0);
    expect((await stage.view(customer))!.binding).toEqual({ resource: "customer", serviceId: other!.id });
    expect(stage.sandbox.records("customer")).toMatchObject([{ name: "Neu GmbH", info: "neu angelegt" }]);
  });

  it("is created again where the stream says so, and its children get the new id", async () => {
    await using stage = await setStage();
    await stage.edit((text) => text.replace("resource: customer\n", "resource: customer\n    gone: recreate\n"));
    const gone = await boundAndGone(stage);
    await using running = await stage.start();
    const { store } = running;
    const id = await until("the customer is there again", () => stage.sandbox.records("customer")[0]?.id);
    expect(id).not.toBe(gone);
    await untilState(store, "applied", customer);
    expect((await store.record(customer))!.binding).toEqual({ resource: "customer", serviceId: id });
    await until(
      "the ticket belongs to the new one",
      () => only(stage.sandbox, "ticket", "erpReferenceNumber", "T-1")["customer"] === id,
    );
    await until("the contact was delivered again", async () => {
      const view = (await store.record(contact))!;
      return view.state === "applied" && view.applied!["customer"] === id;
    });
    expect(stage.sandbox.records("customer")).toHaveLength(1);
  });
});

describe("a record that is parked because its parent is gone", () => {
  it("is delivered when its parent is created again under a new id, without anybody's help", async () => {
    await using stage = await setStage();
    await stage.edit((text) => text.replace("resource: customer\n", "resource: customer\n    gone: recreate\n"));
    stage.erp.insertCustomer({ customer_no: "10001", name1: "Alt GmbH" });
    expect((await stage.command("sync")).code).toBe(0);
    stage.sandbox.vanish("customer", only(stage.sandbox, "customer", "customerId", "10001").id);
    stage.erp.insertContact({ customer_no: "10001", contact_no: 1, last_name: "Ångström" });
    await using running = await stage.start();
    await untilState(running.store, "parked", contact);
    stage.erp.renameCustomer("10001", "Neu GmbH");
    await untilState(running.store, "applied", customer, contact);
    const { id } = only(stage.sandbox, "customer", "customerId", "10001");
    expect(stage.sandbox.records("customerContact")).toMatchObject([{ customer: id }]);
  });
});
