import type { Claim } from "#store";

/** A claim of a record that was never delivered, but for what `differing` says. */
export function claimed(differing: Partial<Claim> = {}): Claim {
  return {
    id: { stream: "customers", key: "1" },
    token: "t",
    sequence: 1,
    row: {},
    deleted: false,
    attempts: 0,
    binding: undefined,
    applied: undefined,
    inFlight: undefined,
    intent: undefined,
    decision: undefined,
    ...differing,
  };
}
