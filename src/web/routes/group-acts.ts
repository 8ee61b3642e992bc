import type { Actor } from "#model";
import type { PageActs } from "../acts.ts";
import { bodies, type Sent } from "./sent.ts";

/** Carries out what people do with a group; returns the fact for scripts, or a text that names what is wrong. */
export async function groupAct(
  acts: PageActs,
  { group, verb, sent }: { readonly group: string; readonly verb: string; readonly sent: Sent },
  by: Actor,
): Promise<object | string> {
  if (verb === "retry") return { group, due: await acts.retryGroup(group, by) };
  const { note, owner, snoozeHours } = bodies.note.parse(sent);
  const written = Object.entries({ note, owner, snoozeHours }).filter(([, value]) => value !== undefined);
  if (written.length === 0) return "expected a note, an owner or snoozeHours";
  await acts.noteGroup({ group, ...Object.fromEntries(written) }, by);
  return { group, done: verb };
}
