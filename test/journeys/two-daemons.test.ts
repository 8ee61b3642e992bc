import { describe, expect, it } from "vitest";
import { setStage, untilState } from "./stage.ts";

describe("two daemons on one store", () => {
  it("do not run: the second is sent away with E_STORE_BUSY and the first goes on", async () => {
    await using stage = await setStage();
    await using running = await stage.start();
    await expect(stage.start()).rejects.toMatchObject({ code: "E_STORE_BUSY", family: "stop" });
    const sync = await stage.command("sync");
    expect(sync.code).toBe(70);
    expect(sync.stderr).toContain("E_STORE_BUSY");
    stage.erp.insertCustomer({ customer_no: "10001" });
    await untilState(running.store, "applied", { stream: "customers", key: "10001" });
  });

  it("may follow each other: the store is free as soon as the first has stopped", async () => {
    await using stage = await setStage();
    const first = await stage.start();
    await first[Symbol.asyncDispose]();
    await using second = await stage.start();
    stage.erp.insertCustomer({ customer_no: "10001" });
    const [view] = await untilState(second.store, "applied", { stream: "customers", key: "10001" });
    expect(view!.binding).toBeDefined();
  });
});
