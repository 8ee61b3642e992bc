import { expect, it } from "vitest";
import { OffsetClock } from "../kit/clock.ts";
import { customerRow } from "./steps/customer-row.ts";
import { openDelivery } from "./steps/delivery.ts";
import { setStepStage } from "./steps/step-stage.ts";

const HOUR_MS = 3_600_000;

it("does not create again what it looks for while somebody sets the clock back", async () => {
  await using stage = await setStepStage();
  const clock = new OffsetClock();
  await using delivery = await openDelivery(stage.envFile, (_name, part) => part, clock);
  // The first create reads the index of what the service holds, at an hour that comes again.
  await delivery.stage("customers", "1", customerRow("1", "Kunde 1"));
  await delivery.drain();
  stage.sandbox.faults.add({ kind: "cut", when: "after", method: "POST", resource: "customer", count: 1 });
  const cut = stage.sandbox.ledger.next({ method: "POST", resource: "customer" });
  await delivery.stage("customers", "2", customerRow("2", "Kunde 2"));
  const drained = delivery.drain();
  await cut;
  clock.offsetMs = -3 * HOUR_MS;
  await delivery.store.clockSetBack(3 * HOUR_MS);
  await drained;
  // What was put off by the clock of before is due by the one of now.
  await delivery.drain();
  expect(stage.sandbox.records("customer").map(({ customerId }) => customerId)).toEqual(["1", "2"]);
  expect((await delivery.store.record({ stream: "customers", key: "2" }))?.state).toBe("applied");
});
