import { describe, expect, it } from "vitest";
import type { Fault } from "#sandbox";
import { indexNote } from "../../src/pipeline/notes.ts";
import { SetClock } from "../kit/clock.ts";
import { inUse, numbers, seed } from "./service-in-use.ts";
import { only, sent, untilHeld, untilState } from "./stage.ts";

describe("a list that says nothing is there", () => {
  it.each(["noContent", "list"] as const)("opens no stream by one answer (%s)", async (shape) => {
    await using stage = await inUse();
    stage.sandbox.faults.add({ kind: "emptyList", shape, resource: "customer", count: 1 });
    expect((await stage.command("sync")).code).not.toBe(0);
    expect((await stage.command("sync")).stderr).toContain("customer already holds 30 records");
    expect(sent(stage.sandbox, "customer", "create")).toEqual([]);
  });

  it("opens no stream by one answer where lists lag as well", async () => {
    const clock = new SetClock();
    await using stage = await inUse({ service: { clock } });
    clock.advance(60_000);
    stage.sandbox.faults.add({ kind: "staleList", lagMs: 5_000 });
    const empty = stage.sandbox.faults.add({ kind: "emptyList", shape: "list", resource: "customer", count: 1 });
    seed(stage, [{ customerId: "20000", name: "Hidden as yet" }]);
    stage.erp.insertCustomer({ customer_no: "20000" });
    expect((await stage.command("sync")).code).not.toBe(0);
    expect(stage.sandbox.faults.list().find(({ id }) => id === empty)!.hits).toBe(1);
    expect((await stage.command("sync")).stderr).toContain("customer already holds 30 records");
    expect(sent(stage.sandbox, "customer", "create")).toEqual([]);
  });

  it.each(["list", "noContent"] as const)(
    "creates nothing after the plan has matched everything (%s)",
    async (shape) => {
      await using stage = await inUse();
      await stage.command("sync");
      expect((await stage.command("adopt", "--confirm")).stdout).toMatch(/customers +0 +30 +0 /);
      const fault: Fault = { kind: "emptyList", shape, resource: "customer", count: 1 };
      stage.sandbox.faults.add(fault);
      expect((await stage.command("sync")).code).toBe(0);
      expect(stage.sandbox.faults.list()[0]!.hits).toBe(1);
      expect(stage.sandbox.records("customer")).toHaveLength(30);
    },
  );

  it("makes a new record wait where it hides all the others, until it tells the truth", async () => {
    await using stage = await inUse();
    await stage.command("sync");
    await stage.command("adopt", "--confirm");
    expect((await stage.command("sync")).code).toBe(0);
    await using running = await stage.start();
    const fault = stage.sandbox.faults.add({ kind: "emptyList", shape: "list", resource: "customer" });
    seed(stage, [{ customerId: "20000", name: "Von Hand" }]);
    stage.erp.insertCustomer({ customer_no: "20000", name1: "Von Hand" });
    const [waiting] = await untilState(running.store, "waiting", { stream: "customers", key: "20000" });
    expect(waiting!.error).toMatchObject({ code: "E_LIST_INCOMPLETE", details: { count: 0, unseen: 30 } });
    expect(waiting!.attempts).toBe(0);
    stage.sandbox.faults.clear(fault);
    await running.store.retryNow({ stream: "customers", states: ["waiting"] });
    await untilState(running.store, "applied", { stream: "customers", key: "20000" });
    expect(only(stage.sandbox, "customer", "customerId", "20000")["name"]).toBe("Von Hand");
    expect(stage.sandbox.records("customer")).toHaveLength(31);
  });
});

describe("a record of the service that is stamped in the future", () => {
  it("does not hide what is written until then", async () => {
    await using stage = await inUse();
    seed(stage, [{ customerId: "X1", name: "Aus der Zukunft", modified: "2099-01-01T00:00:00.000Z" }]);
    await stage.command("sync");
    await stage.command("adopt", "--confirm");
    expect((await stage.command("sync")).code).toBe(0);
    seed(stage, [{ customerId: "20000", name: "Von Hand" }]);
    stage.erp.insertCustomer({ customer_no: "20000", name1: "Neu" });
    expect((await stage.command("sync")).code).toBe(0);
    expect(only(stage.sandbox, "customer", "customerId", "20000")["name"]).toBe("Neu");
  });

  it("is read past by a store that has taken its stamp for the newest", async () => {
    await using stage = await inUse();
    await stage.command("sync");
    await stage.command("adopt", "--confirm");
    expect((await stage.command("sync")).code).toBe(0);
    {
      await using store = await stage.store();
      const facts = await store.note(indexNote("customer"));
      if (!facts) throw new Error("the index was not read");
      await store.saveNote(indexNote("customer"), { ...facts, newest: Date.parse("2099-01-01") });
    }
    seed(stage, [{ customerId: "20000", name: "Von Hand" }]);
    stage.erp.insertCustomer({ customer_no: "20000", name1: "Neu" });
    expect((await stage.command("sync")).code).toBe(0);
    expect(only(stage.sandbox, "customer", "customerId", "20000")["name"]).toBe("Neu");
  });
});

describe("ids that no record can have", () => {
  it.each(["0"])("are neither bound nor the daemon's end (%s)", async (id) => {
    await using stage = await inUse();
    await using running = await stage.start();
    stage.sandbox.faults.add({ kind: "oddId", id, resource: "customer", count: 1 });
    await untilHeld(running.store, "customers");
    await running.store.decideAdoption("customers", "adopt");
    const ids = numbers.map((key) => ({ stream: "customers", key }));
    const views = await untilState(running.store, "applied", ...ids);
    const bound = new Set(views.map(({ binding }) => binding!.serviceId));
    expect(bound).toEqual(new Set(stage.sandbox.records("customer").map((record) => record.id)));
  });
});
