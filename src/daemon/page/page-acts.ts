import { HOUR_MS, MINUTE_MS, ParkError, sleep } from "#model";
import { testChannels } from "#notify";
import {
  bind,
  confirmDeletions,
  decideAdoption,
  forget,
  noteGroup,
  pause,
  pollNow,
  rereadKeys,
  rereadStream,
  resolve,
  resume,
  retry,
  retryGroup,
  settleFile,
  skip,
  unbind,
  watchRecord,
} from "#operator";
import { adoptionHold } from "#pipeline";
import type { PageActs } from "#web";
import { version } from "#telemetry";
import type { Assembly } from "../assembly.ts";
import type { Configuration, Systems } from "../systems/systems.ts";
import { knownStream } from "./plans.ts";

/** How long a person waits for the ERP or the service, in milliseconds. */
const ANSWER_MS = 20_000;
/** How long the page waits for a comparison before it shows that one is running, in milliseconds. */
const COMPARED_MS = 1_500;

/** The parts of a running pipeline that the page shows and controls. */
export type PageParts = Pick<Assembly, "relay" | "gate" | "holds" | "plans" | "adoption" | "matcher" | "askedPolls">;

/** The page's actions, which call the same functions as the commands. */
export function pageActs(
  { settings, secrets, redaction, syncFile: { streams } }: Configuration,
  parts: Systems,
  { relay, gate, holds, plans, adoption, matcher, askedPolls }: PageParts,
): PageActs {
  const { store, clock, sources } = parts;
  const names = streams.map(({ name }) => name);
  const find = (wanted: string) => streams.find(({ name }) => name === wanted);
  const nudging = async <Value>(act: Promise<Value>): Promise<Value> => {
    const value = await act;
    // Deliver at once what became due.
    relay.nudge();
    return value;
  };
  return {
    retry: (id, by) => nudging(retry(parts, id, by)),
    retryGroup: (group, by) => nudging(retryGroup(parts, names, group, by)),
    noteGroup: async ({ group, snoozeHours, ...texts }, by) => {
      const until = snoozeHours === undefined ? undefined : clock.now() + snoozeHours * HOUR_MS;
      const snoozeUntil = snoozeHours === 0 ? "none" : until;
      await noteGroup(parts, names, { id: group, ...texts, snoozeUntil }, by);
    },
    skip: async (id, by) => {
      const { refused } = await nudging(skip(parts, id, by));
      const [first] = refused;
      if (first !== undefined) throw new ParkError("E_NOT_RESOLVABLE", first.error.message);
    },
    create: (target, by) =>
      nudging(resolve(parts, { ...target, answer: "create", stream: find(target.id.stream) }, by)),
    bind: ({ id, serviceId, isMeant }, by) => {
      const stream = knownStream(find(id.stream), id.stream);
      const signal = AbortSignal.timeout(ANSWER_MS);
      return nudging(bind(parts, { id, stream, serviceId, isMeant: () => Promise.resolve(isMeant), signal }, by));
    },
    unbind: async (target, by) => void (await unbind(parts, target, by)),
    watch: async ({ id, minutes }, by) => {
      await watchRecord(parts, { id, forMs: minutes * MINUTE_MS }, by);
    },
    forget: (id, by) => forget(parts, id, by),
    reread: async ({ stream, key }, by) => {
      const source = knownStream(sources.streams.get(stream), stream);
      const signal = AbortSignal.timeout(ANSWER_MS);
      const { missing } = await nudging(rereadKeys({ store, source }, { stream, keys: [key], signal }, by));
      if (missing.length > 0) throw new ParkError("E_NOT_RESOLVABLE", `the ERP does not have ${stream}/${key}`);
    },
    confirmDeletions: (target, by) => nudging(confirmDeletions(parts, target, by)),
    settleFile: (target, by) => settleFile(parts, target, by),
    confirmPlan: ({ stream, plan }, by) => plans.confirm(stream, plan, by),
    compareAdoption: async () => {
      adoption.begin();
      // The comparison of a small tenant ends before the page is shown.
      await Promise.race([adoption.ended, sleep(COMPARED_MS)]);
    },
    adopt: async ({ stream: name, decision }, by) => {
      const stream = knownStream(find(name), name);
      if ((await adoptionHold.find(store, name, clock.now())) === undefined)
        throw new ParkError("E_NOT_RESOLVABLE", `${name} does not wait for a decision about existing records`);
      await decideAdoption({ store, matcher }, { streams: [stream], decision }, by);
      gate.decided();
    },
    pause: async ({ stream, hours, polls }, by) => {
      await pause(parts, { streams: [stream], until: clock.now() + hours * HOUR_MS, polls }, by);
      await holds.look();
    },
    poll: async (stream, by) => {
      await pollNow(parts, [stream], by);
      await askedPolls.look();
    },
    rereadStream: (stream, by) => rereadStream(parts, stream, by),
    testChannels: (by) => {
      const context = { settings: settings.notify, secrets, store, clock, version, redact: redaction.redact };
      return testChannels(context, by, AbortSignal.timeout(ANSWER_MS));
    },
    resume: async (stream, by) => void (await nudging(resume(parts, [stream], by))),
  };
}
