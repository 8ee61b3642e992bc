import type { Key, StreamName } from "#model";
import type { SweepStore } from "../contract/sweeps.ts";
import { sweepLost } from "../refusals.ts";
import type { StatementCall } from "../statements/statement.ts";
import { closeSweep, findSweep, markSeenKey } from "../statements/sweeps.ts";
import type { Step, StepDriver } from "./step.ts";

/** Keys marked per step, which takes a few milliseconds. */
const MARKED_AT_ONCE = 1_000;

/** A step of a sweep. @throws {RetryError} E_SWEEP_LOST when another one has replaced it, or it was ended. */
function ofSweep(
  stream: StreamName,
  sweep: number,
  writes: readonly StatementCall[],
): Step<{ open: { number: number } }, void> {
  return {
    // It belongs to the stream.
    record: { stream: "", key: stream },
    facts: { open: [findSweep({ stream })] },
    decide({ open: [open] }) {
      if (open?.number !== sweep) throw sweepLost(stream, sweep, open?.number);
      return { writes, value: undefined };
    },
  };
}

export function markKeys(stream: StreamName, sweep: number, keys: readonly Key[]): ReturnType<typeof ofSweep> {
  return ofSweep(
    stream,
    sweep,
    [...new Set(keys)].map((key) => markSeenKey({ stream, key })),
  );
}

/** Ends a sweep after all its records were compared. */
export function endSweepStep(stream: StreamName, sweep: number): ReturnType<typeof ofSweep> {
  return ofSweep(stream, sweep, [closeSweep({ stream })]);
}

/** Marks keys as seen, in parts. If it is interrupted, the marks made so far are still right. */
export function markingSeen(driver: StepDriver): SweepStore["markSeen"] {
  return async (stream, sweep, keys) => {
    for (let from = 0; from < keys.length; from += MARKED_AT_ONCE)
      await driver.take(markKeys(stream, sweep, keys.slice(from, from + MARKED_AT_ONCE)));
  };
}
