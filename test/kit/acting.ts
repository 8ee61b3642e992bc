import type { Actor } from "#model";
import type { Given, StoreSystems, TargetKind, Targets } from "#operator";
import { never } from "./outcome.ts";

/** Carries out an act on a store; `streams` are the names in the sync file. */
export function carriedOut<Kind extends TargetKind, Input, Result>(
  act: { run(systems: StoreSystems, given: Given<Kind, Input>, by: Actor): Promise<Result> },
  { store }: Pick<StoreSystems, "store">,
  target: Targets[Kind],
  input: Input,
  by: Actor,
  streams: StoreSystems["streams"] = [],
): Promise<Result> {
  return act.run({ store, streams, returns: [] }, { target, input, isConfirmed: true, signal: never }, by);
}
