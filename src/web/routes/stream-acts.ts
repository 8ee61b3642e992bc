import type { Actor, StreamName } from "#model";
import type { PageActs, StreamVerb } from "../acts.ts";
import { bodies, type Sent } from "./sent.ts";

/** Carries out what people do with a stream; returns the fact for scripts. */
export async function streamAct(
  acts: PageActs,
  { stream, verb, sent }: { readonly stream: StreamName; readonly verb: StreamVerb; readonly sent: Sent },
  by: Actor,
): Promise<object> {
  const run = {
    pause: () => {
      const { hours, polls } = bodies.pause.parse(sent);
      return acts.pause({ stream, hours, polls }, by);
    },
    resume: () => acts.resume(stream, by),
    poll: () => acts.poll(stream, by),
    reread: () => acts.rereadStream(stream, by),
    deletions: () => acts.confirmDeletions({ stream, count: bodies.deletions.parse(sent).count }, by),
    plan: async () => ({ updates: await acts.confirmPlan({ stream, plan: bodies.plan.parse(sent).plan }, by) }),
    adopt: () => acts.adopt({ stream, decision: bodies.adopt.parse(sent).decision }, by),
  };
  return { stream, done: verb, ...(await run[verb]()) };
}
