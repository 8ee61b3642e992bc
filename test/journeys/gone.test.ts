import { describe, expect, it } from "vitest";
import { byText, only, sent, setStage, texts, until, untilState, type Stage } from "./stage.ts";

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

const impatient = { breaker: { failures: 5, pauseMs: 50, pauseMaxMs: 200 } };
const keys = Array.from({ length: 12 }, (_, at) => String(10_001 + at));
const ids = keys.map((key) => ({ stream: "customers", key }));

/** Twelve customers in sync. */
async function twelve(edit: (text: string) => string = (text) => text): Promise<Stage> {
  const stage = await setStage();
  await stage.edit(edit);
  for (const customer_no of keys) stage.erp.insertCustomer({ customer_no });
  expect((await stage.command("sync")).code).toBe(0);
  return stage;
}

describe("a gateway that refuses everything for a while", () => {
  it.each([
    ["park", 404],
    ["park", 400],
    ["park", 403],
    ["recreate", 404],
    ["recreate", 400],
    ["recreate", 403],
  ] as const)(
    "parks and creates nothing, opens the breaker, and all goes on after it (gone: %s, %i)",
    async (gone, status) => {
      await using stage = await twelve((text) =>
        text.replace("resource: customer\n", `resource: customer\n    gone: ${gone}\n`),
      );
      await using running = await stage.start(impatient);
      const refusing = stage.sandbox.faults.add({ kind: "gateway404", status });
      for (const key of keys) stage.erp.renameCustomer(key, `Neu ${key}`);
      stage.erp.insertCustomer({ customer_no: "20001" });
      await until("the breaker opened twice", () => running.log.lines("circuit breaker opened").length >= 2);
      stage.sandbox.faults.clear(refusing);
      await untilState(running.store, "applied", ...ids, { stream: "customers", key: "20001" });
      const names = [...keys.map((key) => `Neu ${key}`), "Kunde 20001"].toSorted(byText);
      expect(texts(stage.sandbox, "customer", "name")).toEqual(names);
      expect(running.log.lines("record parked")).toEqual([]);
      expect(sent(stage.sandbox, "customer", "create")).toHaveLength(13);
    },
  );

  it("does not make svcsync forget a record that it could not delete", async () => {
    await using stage = await twelve((text) =>
      text.replace(
        /deleted:\n +when: "deleted = 1"\n +set: \{ customerStatus[^\n]*/,
        'deleted: { when: "deleted = 1", delete: true }',
      ),
    );
    await using running = await stage.start(impatient);
    const refusing = stage.sandbox.faults.add({ kind: "gateway404" });
    stage.erp.flagDeleted("customers", [keys[0]!]);
    await until("the deletion was refused", async () => {
      const view = await running.store.record(ids[0]!);
      return view?.error?.code === "E_SERVICE_DOUBTED" || view?.error?.code === "E_SERVICE_DOWN";
    });
    stage.sandbox.faults.clear(refusing);
    await untilState(running.store, "deleted", ids[0]!);
    expect(stage.sandbox.records("customer")).toHaveLength(11);
  });

  it("does not make svcsync create again what it finds and cannot read", async () => {
    await using stage = await setStage();
    stage.sandbox.faults.add({ kind: "cut", when: "after", resource: "customer", method: "POST", count: 1 });
    const refusing = stage.sandbox.faults.add({ kind: "gateway404", method: "GET", path: "*/customer/*" });
    stage.erp.insertCustomer({ customer_no: "10001" });
    await using running = await stage.start(impatient);
    await until("the result was not readable", async () => {
      const view = await running.store.record(customer);
      return view?.error?.code === "E_SERVICE_DOUBTED";
    });
    stage.sandbox.faults.clear(refusing);
    await untilState(running.store, "applied", customer);
    expect(stage.sandbox.records("customer")).toHaveLength(1);
  });
});

describe("a refusal of one record", () => {
  it("that is not in the service's own words is believed when it comes twice while other records are shown", async () => {
    await using stage = await twelve();
    stage.sandbox.faults.add({ kind: "gateway404", status: 400, method: "PUT", resource: "customer" });
    stage.erp.renameCustomer("10001", "Neu GmbH");
    expect((await stage.command("sync")).code).toBe(1);
    expect(await stage.view(customer)).toMatchObject({ state: "parked", error: { code: "E_SERVICE_REFUSED" } });
    expect(stage.sandbox.ledger.count({ method: "PUT", resource: "customer" })).toBe(2);
  });
});
