import { describe, expect, it } from "vitest";
import { only, setStage, until, untilState } from "./stage.ts";

const customer = { stream: "customers", key: "10001" };
const HOUR_MS = 3_600_000;

describe("a lease that runs out while the service takes its time", () => {
  it("brings no second request: a record is never in two deliveries at once", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    await using running = await stage.start();
    const { store } = running;
    sandbox.faults.add({ kind: "latency", ms: 5_000, when: "before", resource: "customer", method: "POST", count: 1 });
    erp.insertCustomer({ customer_no: "10001" });
    await until("the create was begun", async () => (await store.record(customer))?.intent !== undefined);
    // As a clock that jumps forward, every lease is over; and the queue was flushed, so every wake-up is given again.
    await store.clockSetBack(HOUR_MS);
    running.daemon.relay.forget();
    await untilState(store, "applied", customer);
    // A stop waits for every delivery, however many there are.
    await running[Symbol.asyncDispose]();
    only(sandbox, "customer", "customerId", "10001");
    expect(sandbox.ledger.count({ method: "POST", resource: "customer" })).toBe(1);
  });
});
