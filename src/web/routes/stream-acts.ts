import { ParkError, type Actor, type StreamName } from "#model";
import type { PageActs, StreamVerb } from "../acts.ts";

/** What was sent with an act: fields of a form, or members of a JSON object. */
export type Sent = Readonly<Record<string, unknown>>;

/** A box that was ticked in a form, or `true` in JSON. */
export function isYes(sent: unknown): boolean {
  return sent === "yes" || sent === true;
}

/** Carries out what people do with a stream; returns the fact for scripts. */
export async function streamAct(
  acts: PageActs,
  { stream, verb, sent }: { readonly stream: StreamName; readonly verb: StreamVerb; readonly sent: Sent },
  by: Actor,
): Promise<object> {
  const run = {
    pause: () => acts.pause({ stream, hours: Number(sent["hours"]), polls: isYes(sent["polls"]) }, by),
    resume: () => acts.resume(stream, by),
    reread: () => acts.rereadStream(stream, by),
    deletions: () => acts.confirmDeletions({ stream, count: Number(sent["count"]) }, by),
    plan: async () => ({ updates: await acts.confirmPlan({ stream, plan: planIn(sent) }, by) }),
    adopt: () => acts.adopt({ stream, decision: decisionIn(sent) }, by),
  };
  return { stream, done: verb, ...(await run[verb]()) };
}

function planIn({ plan }: Sent): string {
  if (typeof plan === "string") return plan;
  throw new ParkError("E_PLAN_OUTDATED", "no plan was named: send the id of the plan (plan). Nothing was confirmed");
}

function decisionIn({ decision = "adopt" }: Sent): "adopt" | "create-all" {
  if (decision === "adopt" || decision === "create-all") return decision;
  throw new ParkError("E_NOT_RESOLVABLE", "decision: wanted adopt or create-all. Nothing was decided");
}
