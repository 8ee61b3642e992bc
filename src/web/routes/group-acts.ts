import type { Actor } from "#model";
import type { PageActs, PageGroupNote } from "../acts.ts";
import type { Sent } from "./stream-acts.ts";

/** Characters of a note and of an owner. */
export const noteMax = 500;
/** What a form sends where the snooze stays as it is. */
export const sameSnooze = "same";

/** What is sent with a note of a group, checked; a text names what is wrong. */
function sentNote(group: string, sent: Sent): PageGroupNote | string {
  const texts: { note?: string; owner?: string } = {};
  for (const name of ["note", "owner"] as const) {
    const text = sent[name];
    if (text === undefined) continue;
    if (typeof text !== "string" || text.length > noteMax)
      return `${name}: expected a text of at most ${noteMax} characters`;
    texts[name] = text.trim();
  }
  const snooze = sent["snoozeHours"];
  const isSame = snooze === undefined || snooze === sameSnooze;
  if (isSame && Object.keys(texts).length === 0) return "expected a note, an owner or snoozeHours";
  if (isSame) return { group, ...texts };
  const snoozeHours = typeof snooze === "string" && snooze.trim() !== "" ? Number(snooze) : snooze;
  if (typeof snoozeHours !== "number" || !(snoozeHours >= 0))
    return "snoozeHours: expected a number of hours; 0 ends the snooze";
  return { group, ...texts, snoozeHours };
}

/** Carries out what people do with a group; returns the fact for scripts, or a text that names what is wrong. */
export async function groupAct(
  acts: PageActs,
  { group, verb, sent }: { readonly group: string; readonly verb: string; readonly sent: Sent },
  by: Actor,
): Promise<object | string> {
  if (verb === "retry") return { group, due: await acts.retryGroup(group, by) };
  const note = sentNote(group, sent);
  if (typeof note === "string") return note;
  await acts.noteGroup(note, by);
  return { group, done: verb };
}
