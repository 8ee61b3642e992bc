import type { Actor, StreamName } from "#model";
import type { Store } from "#store";
import { defineAct } from "./act.ts";

/** Ends a pause. */
export const resumeAct = defineAct({
  name: "resume",
  target: "stream",
  needs: "store",
  help: "Resume paused streams",
  input: {},
  audit: "resume",
  wakes: "deliveries",
  run: (systems, { target }, by) => resume(systems, [target], by),
  forms: ({ name, holds }) =>
    holds.some(({ kind }) => kind === "pause") ? [{ label: "Resume", spoken: `Resume ${name}` }] : [],
  answersAttention: true,
  command: "resume",
});

/** Ends the pauses of these streams; returns those that were paused. */
export async function resume(
  { store }: { readonly store: Pick<Store, "acts" | "clock"> },
  streams: readonly StreamName[],
  by: Actor,
): Promise<StreamName[]> {
  return store.acts.resume(streams, store.clock.now(), by);
}
