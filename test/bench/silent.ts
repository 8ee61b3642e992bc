import type { Logger } from "#telemetry";

/** Says nothing: the bench reads a store, and what the store says of itself is of no interest here. */
export const silent: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silent,
};
