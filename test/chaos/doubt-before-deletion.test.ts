import { expect, it } from "vitest";
import { customerRow } from "./steps/customer-row.ts";
import { openDelivery } from "./steps/delivery.ts";
import { setStepStage } from "./steps/step-stage.ts";

it("writes a record whole that comes back from a deletion which met it in doubt", async () => {
  await using stage = await setStepStage();
  await using delivery = await openDelivery(stage.envFile);
  await delivery.stage("customers", "1", customerRow("1", "Alt"));
  await delivery.drain();
  const update = { method: "PUT", resource: "customer" } as const;
  stage.sandbox.faults.add({ kind: "cut", when: "after", ...update, count: 1 });
  const cut = stage.sandbox.ledger.next(update);
  await delivery.stage("customers", "1", customerRow("1", "Neu"));
  const drained = delivery.drain();
  await cut;
  await delivery.stage("customers", "1", customerRow("1", "Neu", 1));
  await drained;
  expect((await delivery.store.record({ stream: "customers", key: "1" }))?.state).toBe("deleted");
  await delivery.stage("customers", "1", customerRow("1", "Alt"));
  await delivery.drain();
  expect(stage.sandbox.records("customer").map(({ name }) => name)).toEqual(["Alt"]);
});
