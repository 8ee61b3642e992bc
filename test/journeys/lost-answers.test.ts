import { describe, expect, it } from "vitest";
import type { Fault } from "#sandbox";
import { only, sent, setStage, texts, until, untilState, type Stage, type StageOptions } from "./stage.ts";
import { unmatchedCustomers } from "../setup/customers-stream.ts";

const customer = { stream: "customers", key: "10001" };

/** A customer whose deletion is a deletion in the service too. */
const recreating = unmatchedCustomers.replace(
  "    fields:",
  '    match: [customerId]\n    deleted: { when: "deleted = 1", delete: true }\n    fields:',
);

interface Loss {
  readonly what: string;
  readonly fault: Fault;
}

const committed: readonly Loss[] = [
  { what: "cut after the commit", fault: { kind: "cut", when: "after" } },
  { what: "the answer broke off", fault: { kind: "cut", when: "midBody" } },
  { what: "an error after the commit", fault: { kind: "serverError", when: "after" } },
  { what: "the answer was no JSON", fault: { kind: "brokenJson" } },
  { what: "a redirect after the commit", fault: { kind: "redirect" } },
  {
    what: "committed after the cut",
    fault: { kind: "cut", when: "during", commitDelayMs: 600 },
  },
];

describe("a create whose answer is lost", () => {
  it.each(committed)("is settled by looking: one request, one record ($what)", async ({ fault }) => {
    await using stage = await setStage();
    stage.sandbox.faults.add({ ...fault, resource: "customer", method: "POST", count: 1 });
    stage.erp.insertCustomer({ customer_no: "10001", name1: "Grün GmbH" });
    await using running = await stage.start();
    const [view] = await untilState(running.store, "applied", customer);
    const { id } = only(stage.sandbox, "customer", "customerId", "10001");
    expect(view).toMatchObject({ binding: { resource: "customer", serviceId: id }, intent: undefined });
    expect(stage.sandbox.ledger.count({ method: "POST", resource: "customer" })).toBe(1);
    expect(sent(stage.sandbox, "customer", "edit")).toEqual([]);
    expect(await running.store.audit({ id: customer, limit: 10 })).toEqual(
      expect.arrayContaining([expect.objectContaining({ action: "settle", serviceId: id })]),
    );
  });

  it("is bound to its own record when the answer was empty and the lookup met a 429: nothing is adopted, no null written", async () => {
    await using stage = await setStage({
      service: { createAnswer: "none" },
      environment: { DIALECT_CREATE_ANSWER: "none" },
    });
    const { erp, sandbox } = stage;
    sandbox.faults.add({ kind: "latency", when: "after", ms: 1_000, resource: "customer", method: "POST", count: 1 });
    erp.insertCustomer({ customer_no: "10001", name1: "Grün GmbH", short_name: null, warning: null });
    await using running = await stage.start();
    await until("it is created and not yet answered", () => sandbox.records("customer").length === 1);
    const busy = sandbox.faults.add({ kind: "tooMany", resource: "customer", method: "GET", count: 3 });
    const [view] = await untilState(running.store, "applied", customer);
    expect(sandbox.faults.list().find(({ id }) => id === busy)!.hits).toBe(3);
    const { id } = only(sandbox, "customer", "customerId", "10001");
    expect(view).toMatchObject({ binding: { resource: "customer", serviceId: id }, intent: undefined });
    expect(sent(sandbox, "customer", "create")).toHaveLength(1);
    expect(sent(sandbox, "customer", "edit")).toEqual([]);
    const history = await running.store.audit({ id: customer, limit: 10 });
    expect(history.map(({ action }) => action)).toContain("settle");
    expect(history.map(({ action }) => action)).not.toContain("adopt");
  });

  it("is created once more, and only after the settling time, when nothing was committed", async () => {
    await using stage = await setStage();
    stage.sandbox.faults.add({ kind: "cut", when: "before", resource: "customer", method: "POST", count: 1 });
    stage.erp.insertCustomer({ customer_no: "10001", name1: "Grün GmbH" });
    await using running = await stage.start();
    await untilState(running.store, "applied", customer);
    only(stage.sandbox, "customer", "customerId", "10001");
    const [first, second, ...more] = stage.sandbox.ledger.requests({ method: "POST", resource: "customer" });
    expect(more).toEqual([]);
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000);
  });

  it("is brought up to the ERP's present when the ERP went on meanwhile", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    sandbox.faults.add({ kind: "cut", when: "after", resource: "customer", method: "POST", count: 1 });
    erp.insertCustomer({ customer_no: "10001", name1: "Früher GmbH" });
    await using running = await stage.start();
    const cut = await sandbox.ledger.next({ method: "POST", resource: "customer" });
    expect(cut.status).toBe(0);
    erp.renameCustomer("10001", "Später GmbH");
    await until(
      "the customer has its new name",
      () => only(sandbox, "customer", "customerId", "10001")["name"] === "Später GmbH",
    );
    await untilState(running.store, "applied", customer);
    expect(sent(sandbox, "customer", "create")).toHaveLength(1);
    expect(sent(sandbox, "customer", "edit")).toEqual([{ name: "Später GmbH" }]);
  });
});

describe("a service that answers creates with nothing", () => {
  const nameless: StageOptions = {
    service: { createAnswer: "none" },
    environment: { DIALECT_CREATE_ANSWER: "none", SETTLE_LAG_SECONDS: "3600" },
  };
  const keys = Array.from({ length: 20 }, (_, at) => String(10_001 + at));
  const insertAll = ({ erp }: Stage) => {
    for (const customer_no of keys) erp.insertCustomer({ customer_no });
  };

  it("gets each record once, and each is bound as soon as a lagging list shows it", async () => {
    await using stage = await setStage(nameless);
    const { sandbox } = stage;
    sandbox.faults.add({ kind: "staleList", lagMs: 2_500, resource: "customer" });
    insertAll(stage);
    await using running = await stage.start();
    const views = await untilState(running.store, "applied", ...keys.map((key) => ({ stream: "customers", key })));
    expect(sandbox.ledger.count({ method: "POST", resource: "customer" })).toBe(20);
    expect(texts(sandbox, "customer", "customerId")).toEqual(keys);
    for (const { id, binding } of views)
      expect(binding?.serviceId).toBe(only(sandbox, "customer", "customerId", id.key).id);
  });

  it("gets no record twice while its list lags longer than the settling time: a person is told, and binds it", async () => {
    await using stage = await setStage({ ...nameless, environment: { DIALECT_CREATE_ANSWER: "none" } });
    const { sandbox, erp } = stage;
    sandbox.faults.add({ kind: "staleList", lagMs: 3_600_000, resource: "customer" });
    erp.insertCustomer({ customer_no: "10001" });
    expect((await stage.command("sync")).code).toBe(1);
    const unsettled = await stage.view(customer);
    expect(unsettled).toMatchObject({ state: "uncertain", error: { code: "E_CREATE_UNCERTAIN" } });
    expect(unsettled!.error!.message).toContain("carried out the create of a customer and did not return its id");
    const { id } = only(sandbox, "customer", "customerId", "10001");
    expect((await stage.command("resolve", "customers/10001", "--bind", String(id), "--yes")).code).toBe(0);
    expect((await stage.command("sync")).code).toBe(0);
    expect(await stage.view(customer)).toMatchObject({ state: "applied", binding: { serviceId: id } });
    expect(sandbox.ledger.count({ method: "POST", resource: "customer" })).toBe(1);
  });

  it("leaves a record of a stream without a natural key to a person", async () => {
    await using stage = await setStage({ ...nameless, syncFile: unmatchedCustomers });
    stage.erp.insertCustomer({ customer_no: "10001" });
    expect((await stage.command("sync")).code).toBe(1);
    const unsettled = await stage.view(customer);
    expect(unsettled).toMatchObject({ state: "uncertain", error: { code: "E_CREATE_UNCERTAIN" } });
    expect(unsettled!.error!.message).toContain("did not return its id; the stream has no match rule to look for it");
    expect(stage.sandbox.ledger.count({ method: "POST", resource: "customer" })).toBe(1);
  });
});

describe("a create whose natural key the service spells in its own way", () => {
  it("is not repeated: what nearly has its key is shown to a person", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    await using running = await stage.start();
    sandbox.faults.add({ kind: "cut", when: "before", resource: "customer", method: "POST", count: 1 });
    erp.insertCustomer({ customer_no: "ab-1", name1: "Grün GmbH" });
    await sandbox.ledger.next({ method: "POST", resource: "customer" });
    sandbox.seed("customer", [{ customerId: "AB 1", name: "Grün GmbH" }]);
    const { id } = only(sandbox, "customer", "customerId", "AB 1");
    const [view] = await untilState(running.store, "uncertain", { stream: "customers", key: "ab-1" });
    expect(view!.error).toMatchObject({ code: "E_CREATE_UNCERTAIN", details: { candidates: [id] } });
    expect(sandbox.records("customer")).toHaveLength(1);
  });
});

describe("a record that is created, deleted and created again", () => {
  it("is looked for as long the second time as the first", async () => {
    await using stage = await setStage({ syncFile: recreating });
    const { sandbox, erp } = stage;
    const lose = () =>
      sandbox.faults.add({
        kind: "cut",
        when: "during",
        commitDelayMs: 700,
        resource: "customer",
        method: "POST",
        count: 1,
      });
    lose();
    erp.insertCustomer({ customer_no: "10001", name1: "Grün GmbH" });
    await using running = await stage.start();
    await untilState(running.store, "applied", customer);
    erp.flagDeleted("customers", ["10001"]);
    await untilState(running.store, "deleted", customer);
    lose();
    erp.change("customers", ["10001"], { deleted: 0 });
    await untilState(running.store, "applied", customer);
    only(sandbox, "customer", "customerId", "10001");
    expect(sandbox.ledger.count({ method: "POST", resource: "customer" })).toBe(2);
  });
});

/** A customer whose create was cut off, and which nothing can look for. */
async function uncertain(when: "before" | "after"): Promise<Stage> {
  const stage = await setStage({ syncFile: unmatchedCustomers });
  stage.sandbox.faults.add({ kind: "cut", when, resource: "customer", method: "POST", count: 1 });
  stage.erp.insertCustomer({ customer_no: "10001", name1: "Grün GmbH" });
  const synced = await stage.command("sync");
  expect(synced.code).toBe(1);
  expect((await stage.view(customer))!.state).toBe("uncertain");
  expect(stage.sandbox.ledger.count({ method: "POST", resource: "customer" })).toBe(1);
  return stage;
}

describe("a create whose end nobody can know", () => {
  it("is marked uncertain, stays so however often it is looked at, and is listed with its reason", async () => {
    await using stage = await uncertain("after");
    expect((await stage.command("sync")).code).toBe(1);
    expect((await stage.command("records")).stdout).toContain("E_CREATE_UNCERTAIN");
    expect(stage.sandbox.ledger.count({ method: "POST", resource: "customer" })).toBe(1);
  });

  it("is bound by `resolve --bind`, and what is right already is not sent again", async () => {
    await using stage = await uncertain("after");
    const { id } = only(stage.sandbox, "customer", "customerId", "10001");
    expect((await stage.command("resolve", "customers/10001", "--bind", String(id), "--yes")).code).toBe(0);
    expect((await stage.command("sync")).code).toBe(0);
    expect(await stage.view(customer)).toMatchObject({ state: "applied", binding: { serviceId: id } });
    expect(stage.sandbox.ledger.writes({ resource: "customer" })).toHaveLength(1);
  });

  it("sends what differs alone after `resolve --bind`", async () => {
    await using stage = await uncertain("before");
    const customerStatus = only(stage.sandbox, "customerStatus", "name", "Active").id;
    const rows = [{ customerId: "10001", name: "Von Hand", customerStatus }];
    stage.sandbox.seed("customer", rows);
    const { id } = only(stage.sandbox, "customer", "customerId", "10001");
    expect((await stage.command("resolve", "customers/10001", "--bind", String(id), "--yes")).code).toBe(0);
    expect((await stage.command("sync")).code).toBe(0);
    expect(sent(stage.sandbox, "customer", "edit")).toEqual([{ name: "Grün GmbH" }]);
  });

  it("parks a record whose counterpart was deleted after `resolve --bind`", async () => {
    await using stage = await uncertain("after");
    const { id } = only(stage.sandbox, "customer", "customerId", "10001");
    expect((await stage.command("resolve", "customers/10001", "--bind", String(id), "--yes")).code).toBe(0);
    stage.sandbox.vanish("customer", id);
    expect((await stage.command("sync")).code).toBe(1);
    expect(await stage.view(customer)).toMatchObject({ state: "parked", error: { code: "E_RECORD_GONE" } });
  });

  it("is created once by `resolve --create`", async () => {
    await using stage = await uncertain("before");
    const { begunAt } = (await stage.view(customer))!.intent!;
    const create = (begun: string) => stage.command("resolve", "customers/10001", "--create", "--begun", begun);
    for (const other of ["none", new Date(begunAt - 1).toISOString()])
      expect(await create(other)).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing was changed") });
    expect((await create(new Date(begunAt).toISOString())).code).toBe(0);
    expect((await stage.command("sync")).code).toBe(0);
    const { id } = only(stage.sandbox, "customer", "customerId", "10001");
    expect(await stage.view(customer)).toMatchObject({ state: "applied", binding: { serviceId: id } });
  });

  it("is left out by `resolve --skip`, and not created when the ERP changes it later", async () => {
    await using stage = await uncertain("after");
    expect((await stage.command("resolve", "customers/10001", "--skip")).code).toBe(0);
    expect((await stage.command("sync")).code).toBe(0);
    expect((await stage.view(customer))!.state).toBe("skipped");
    stage.erp.renameCustomer("10001", "Neu GmbH");
    expect((await stage.command("sync")).code).toBe(1);
    expect((await stage.view(customer))!.state).toBe("uncertain");
    expect(stage.sandbox.records("customer")).toHaveLength(1);
  });
});

describe("an update whose answer is lost", () => {
  it("leaves in the history what a person wrote before it was repeated", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", name1: "Alt GmbH" });
    expect((await stage.command("sync")).code).toBe(0);
    await using running = await stage.start();
    const { store } = running;
    sandbox.faults.add({ kind: "cut", when: "before", resource: "customer", method: "PUT" });
    erp.renameCustomer("10001", "Neu GmbH");
    await until("the update failed", async () => (await store.record(customer))!.attempts > 0);
    sandbox.seed("customer", [{ ...only(sandbox, "customer", "customerId", "10001"), name: "Von Hand" }]);
    sandbox.faults.clear();
    await untilState(store, "applied", customer);
    expect(only(sandbox, "customer", "customerId", "10001")["name"]).toBe("Neu GmbH");
    const [entry] = await store.audit({ id: customer, limit: 1 });
    expect(entry).toMatchObject({ action: "update", before: { name: "Von Hand" }, after: { name: "Neu GmbH" } });
  });

  it("does not hide that the ERP went back: the service gets the value that the ERP shows", async () => {
    await using stage = await setStage({ environment: { RETRY_BASE_SECONDS: "1" } });
    const { erp, sandbox } = stage;
    erp.insertCustomer({ customer_no: "10001", name1: "Alt GmbH" });
    expect((await stage.command("sync")).code).toBe(0);
    await using running = await stage.start();
    const { store } = running;
    sandbox.faults.add({ kind: "cut", when: "after", resource: "customer", method: "PUT" });
    erp.renameCustomer("10001", "Neu GmbH");
    const [failed] = await until("the update failed", async () => {
      const view = await store.record(customer);
      return view!.attempts > 0 && [view!];
    });
    expect(failed.inFlight?.fields).toHaveProperty("name");
    expect(only(sandbox, "customer", "customerId", "10001")["name"]).toBe("Neu GmbH");
    erp.renameCustomer("10001", "Alt GmbH");
    await until("the ERP's word was read", async () => (await store.record(customer))!.row["name1"] === "Alt GmbH");
    sandbox.faults.clear();
    await untilState(store, "applied", customer);
    expect(only(sandbox, "customer", "customerId", "10001")["name"]).toBe("Alt GmbH");
    expect((await store.record(customer))!.inFlight).toBeUndefined();
  });
});
