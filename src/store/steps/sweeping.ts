import type { Key, StreamName } from "#model";
import { sweepLost } from "../refusals.ts";
import type { StatementCall } from "../statements/statement.ts";
import { closeSweep, findSweep, markSeenKey } from "../statements/sweeps.ts";
import type { Step } from "./step.ts";

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
