import { describe, expect, it } from "vitest";
import { byText, sent, setStage, texts, until, untilState, type Stage } from "./stage.ts";

const customer = { stream: "customers", key: "10001" };
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
