import { describe, expect, it } from "vitest";
import { setStage, until, untilState, writeRequests } from "./stage.ts";

const orders = ["A-1", "A-2", "A-3"].map((key) => ({ stream: "orders", key }));

/** Orders that are found by another number: a part of the natural key that is dropped parks its record. */
function byOtherNumber(text: string): string {
  const keyed = text.replace(/(resource: svcDocument\n +match: )\[erpReferenceNumber\]/, "$1[externalReferenceNumber]");
  return keyed.replace(
    "      referenceNumber: reference\n",
    "      referenceNumber: reference\n      externalReferenceNumber: order_no\n",
  );
}

describe("a field that the service answers 200 to and drops", () => {
  it("is reported once per stream and field, shown by status, and never sent again in a loop", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    // Without `own: create` the number would be sent on every change; the service takes it at creation only.
    await stage.edit((text) =>
      byOtherNumber(text).replace(
        "erpReferenceNumber: { from: order_no, own: create }",
        "erpReferenceNumber: reference",
      ),
    );
    await stage.edit((text) => text.replace("      referenceNumber: reference\n", ""));
    erp.insertCustomer({ customer_no: "10001" });
    for (const { key } of orders) erp.insertOrder({ order_no: key, customer_no: "10001", reference: `${key} alt` });
    await using running = await stage.start();
    const { store, log } = running;
    await untilState(store, "applied", ...orders);
    expect(log.lines("field was dropped by the service")).toEqual([]);

    for (const { key } of orders) erp.change("service_orders", [key], { reference: `${key} neu` });
    await until("the new numbers were delivered", async () => {
      const views = await Promise.all(orders.map((id) => store.record(id)));
      return views.every((view) => view!.applied!["erpReferenceNumber"] === `${view!.id.key} neu`);
    });
    expect(sandbox.ledger.count({ method: "PUT", resource: "svcDocument" })).toBe(orders.length);
    expect(log.lines("field was dropped by the service")).toHaveLength(1);
    await running[Symbol.asyncDispose]();

    const before = writeRequests(sandbox);
    const sync = await stage.command("sync");
    expect(writeRequests(sandbox) - before).toBe(0);
    expect(sync.stdout).toContain("answers 200 to erpReferenceNumber but does not keep it");
    expect((await stage.command("status")).stdout).toContain("does not keep it");
  });

  it("is reported as well when a deletion sets it", async () => {
    await using stage = await setStage();
    const { erp, sandbox } = stage;
    await stage.edit((text) =>
      byOtherNumber(text)
        .replace("erpReferenceNumber: { from: order_no, own: create }", "erpReferenceNumber: order_no")
        // The last stream of the file is that of the orders.
        .replace(/ignore: true }\s*$/, "set: { erpReferenceNumber: gone } }\n"),
    );
    erp.insertCustomer({ customer_no: "10001" });
    erp.insertOrder({ order_no: "A-1", customer_no: "10001", ticket_no: null });
    await using running = await stage.start();
    await untilState(running.store, "applied", { stream: "orders", key: "A-1" });
    erp.change("service_orders", ["A-1"], { deleted: 1 });
    await untilState(running.store, "deleted", { stream: "orders", key: "A-1" });
    expect(sandbox.ledger.count({ method: "PUT", resource: "svcDocument" })).toBe(1);
    expect(running.log.lines("field was dropped by the service")).toHaveLength(1);
    expect((await stage.command("status")).stdout).toContain("answers 200 to erpReferenceNumber but does not keep it");
  });
});
