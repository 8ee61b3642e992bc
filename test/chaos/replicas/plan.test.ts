import { expect, it } from "vitest";
import { planOf } from "./plan.ts";

it("draws the same faults from the same seed, each kind at least once in a minute, and others from another seed", () => {
  const plan = planOf(7, 2, 3, true);
  expect(planOf(7, 2, 3, true)).toEqual(plan);
  expect(planOf(8, 2, 3, true)).not.toEqual(plan);
  const kinds = new Set(plan.filter(({ atMs }) => atMs < 60_000).map(({ fault }) => fault.kind));
  expect([...kinds].toSorted()).toEqual([
    "429 storm",
    "clean stop",
    "clock",
    "command",
    "freeze",
    "kill",
    "late write",
    "partition",
    "queue flush",
    "queue stop",
    "rolling restart",
    "slow after authentication",
    "store failover",
    "store stop",
    "tokens revoked",
  ]);
});
