import * as fc from "fast-check";
import { recordName, type RecordId } from "#model";
import { LEASE_MS } from "../conformance/store-scene.ts";
import type { StepArguments, StepName } from "./store-steps.ts";

export const STREAMS = ["contacts", "customers"];

export interface Step {
  readonly name: StepName;
  readonly args: StepArguments;
}

/** What may happen to a store. */
export type Happening =
  | { readonly kind: "stage"; readonly id: RecordId; readonly said: "deleted" | number; readonly backfill: boolean }
  | { readonly kind: "claim"; readonly id: RecordId }
  /** A record that is due is claimed and taken through these steps. */
  | { readonly kind: "delivery"; readonly turn: number; readonly steps: readonly Step[] }
  /** A step with a claim that was given out `age` claims ago: most of the old ones are lost. */
  | { readonly kind: "step"; readonly age: number; readonly step: Step }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "restart" }
  | { readonly kind: "remap"; readonly stream: string }
  | { readonly kind: "retryNow"; readonly stream: string };

const stream = fc.constantFrom(...STREAMS);
const id = fc.record({ stream, key: fc.constantFrom("1", "2") });
const said = fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.constant("deleted" as const) });

/** Steps that carry a record on are named more than once, so that random lives go somewhere. */
const onwards: StepName[] = ["bind", "bind", "bind", "apply", "apply", "doubt", "doubt", "begin", "retry", "wait"];
const others: StepName[] = [
  "abandon",
  "answered",
  "looked",
  "park",
  "uncertain",
  "skip",
  "remove",
  "unbind",
  "release",
];

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom(...onwards, ...others),
  args: fc.record({
    serviceId: fc.integer({ min: 1, max: 5 }),
    value: fc.nat(3),
    parents: fc.uniqueArray(id, { maxLength: 2, selector: recordName }),
    delayMs: fc.constantFrom(undefined, 0, 500, 100_000),
    flag: fc.boolean(),
  }),
});

export const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("stage" as const), id, said, backfill: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("claim" as const), id }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("delivery" as const),
      turn: fc.nat(3),
      steps: fc.array(step, { minLength: 1, maxLength: 4, size: "max" }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("step" as const), age: fc.nat(6), step }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 500, LEASE_MS) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remap" as const), stream }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("retryNow" as const), stream }) },
);
