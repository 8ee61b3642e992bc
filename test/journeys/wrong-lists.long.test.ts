import { describe, expect, it } from "vitest";
import { inUse, numbers } from "./service-in-use.ts";
import { sent, untilHeld, untilState } from "./stage.ts";

describe("a list that says nothing is there", () => {
  it.each(["noBody", "null", "array", "refusal"] as const)("opens no stream by one answer (%s)", async (shape) => {
    await using stage = await inUse();
    stage.sandbox.faults.add({ kind: "emptyList", shape, resource: "customer", count: 1 });
    expect((await stage.command("sync")).code).not.toBe(0);
    expect((await stage.command("sync")).stderr).toContain("customer already holds 30 records");
    expect(sent(stage.sandbox, "customer", "create")).toEqual([]);
  });
});

describe("ids that no record can have", () => {
  it.each(["1e30", "-1", "9007199254740993"])("are neither bound nor the daemon's end (%s)", async (id) => {
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
