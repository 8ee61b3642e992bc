import { expect, it } from "vitest";
import { planOf } from "./plan.ts";

it("draws the same faults from the same seed, each kind at least once in a minute, and others from another seed", () => {
  const plan = planOf(7, 2, 3);
  expect(planOf(7, 2, 3)).toEqual(plan);
  expect(planOf(8, 2, 3)).not.toEqual(plan);
  const kinds = new Set(plan.filter(({ atMs }) => atMs < 60_000).map(({ fault }) => fault.kind));
  expect([...kinds].toSorted()).toEqual([
    "429 storm",
    "clean stop",
    "clock",
    "command",
    "freeze",
    "kill",
    "partition",
    "queue flush",
    "queue stop",
    "rolling restart",
    "slow after authentication",
    "store stop",
    "tokens revoked",
  ]);
});
