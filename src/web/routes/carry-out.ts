import { recordLabel, type Actor, type RecordId, type StreamName } from "#model";
import type { PageActs, RecordVerb, StreamVerb } from "../acts.ts";
import { bodies, type Sent } from "./sent.ts";

/** Carries out an act on a record; returns the fact for scripts. */
export async function recordAct(
  acts: PageActs,
  { id, verb, sent }: { readonly id: RecordId; readonly verb: Exclude<RecordVerb, "bind">; readonly sent: Sent },
  by: Actor,
): Promise<object> {
  const run = {
    retry: async () => ({ due: await acts.retry(id, by) }),
    skip: () => acts.skip(id, by),
    create: () => acts.create({ id, begunAt: bodies.create.parse(sent).begunAt }, by),
    unbind: () => acts.unbind({ id, serviceId: bodies.unbind.parse(sent).serviceId }, by),
    reread: () => acts.reread(id, by),
    watch: () => acts.watch({ id, minutes: bodies.watch.parse(sent).minutes }, by),
    forget: () => acts.forget(id, by),
  };
  return { record: recordLabel(id), done: verb, ...(await run[verb]()) };
}

/** Carries out an act on a group; returns the fact for scripts, or a text about what is wrong. */
export async function groupAct(
  acts: PageActs,
  { group, verb, sent }: { readonly group: string; readonly verb: string; readonly sent: Sent },
  by: Actor,
): Promise<
  { readonly group: string; readonly due: number } | { readonly group: string; readonly done: string } | string
> {
  if (verb === "retry") return { group, due: await acts.retryGroup(group, by) };
  const { note, owner, snoozeHours, notedAt } = bodies.note.parse(sent);
  const written = Object.entries({ note, owner, snoozeHours }).filter(([, value]) => value !== undefined);
  if (written.length === 0) return "expected a note, an owner or snoozeHours";
  await acts.noteGroup({ group, ...Object.fromEntries(written), ...(notedAt === undefined ? {} : { notedAt }) }, by);
  return { group, done: verb };
}

/** Carries out an act on a stream; returns the fact for scripts. */
export async function streamAct(
  acts: PageActs,
  { stream, verb, sent }: { readonly stream: StreamName; readonly verb: StreamVerb; readonly sent: Sent },
  by: Actor,
): Promise<{ readonly stream: StreamName; readonly done: StreamVerb; readonly updates?: number }> {
  const run = {
    pause: () => {
      const { hours, polls } = bodies.pause.parse(sent);
      return acts.pause({ stream, hours, polls }, by);
    },
    resume: () => acts.resume(stream, by),
    poll: () => acts.poll(stream, by),
    reread: () => acts.rereadStream(stream, by),
    deletions: () => acts.confirmDeletions({ stream, count: bodies.deletions.parse(sent).count }, by),
    files: () => acts.settleFile({ stream, name: bodies.files.parse(sent).name }, by),
    plan: async () => ({ updates: await acts.confirmPlan({ stream, plan: bodies.plan.parse(sent).plan }, by) }),
    adopt: () => acts.adopt({ stream, decision: bodies.adopt.parse(sent).decision }, by),
  };
  return { stream, done: verb, ...(await run[verb]()) };
}
