import { ParkError } from "#model";
import {
  bind,
  confirmDeletions,
  forget,
  noteGroup,
  pause,
  rereadKeys,
  resolve,
  resume,
  retry,
  retryGroup,
  skip,
  unbind,
  watchRecord,
} from "#operator";
import { heldDeletions } from "#pipeline";
import type { PageActs } from "#web";
import type { Configuration, Systems } from "./systems.ts";

const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 3_600_000;
/** How long a person waits for the ERP or the service. */
const ANSWER_MS = 20_000;

/** The acts of the page, by the functions that the commands use; `nudge` delivers at once what became due. */
export function pageActs(parts: Systems, streams: Configuration["syncFile"]["streams"], nudge: () => void): PageActs {
  const { store, clock, sources } = parts;
  const names = streams.map(({ name }) => name);
  const nudging = async <Value>(act: Promise<Value>): Promise<Value> => {
    const value = await act;
    nudge();
    return value;
  };
  return {
    retry: (id, by) => nudging(retry(parts, id, by)),
    retryGroup: (group, by) => nudging(retryGroup(parts, names, group, by)),
    noteGroup: async ({ group, snoozeHours, ...texts }, by) => {
      const snooze = snoozeHours === undefined ? {} : { snoozeUntil: clock.now() + snoozeHours * MS_PER_HOUR };
      await noteGroup({ store, clock }, names, { id: group, ...texts, ...snooze }, by);
    },
    skip: async (id, by) => {
      const { refused } = await nudging(skip(parts, id, by));
      const [first] = refused;
      if (first !== undefined) throw new ParkError("E_NOT_RESOLVABLE", first.error.message);
    },
    create: (id, by) => nudging(resolve(parts, { id, answer: "create" }, by)),
    bind: ({ id, serviceId, isMeant }, by) => {
      const stream = streams.find(({ name }) => name === id.stream);
      if (stream === undefined) throw noStream(id.stream);
      const signal = AbortSignal.timeout(ANSWER_MS);
      return nudging(bind(parts, { id, stream, serviceId, isMeant: () => Promise.resolve(isMeant), signal }, by));
    },
    unbind: async (id, by) => void (await unbind(parts, id, by)),
    watch: async ({ id, minutes }, by) => {
      await watchRecord({ store, clock }, { id, forMs: minutes * MS_PER_MINUTE }, by);
    },
    forget: (id, by) => forget(parts, id, by),
    reread: async ({ stream, key }, by) => {
      const source = sources.streams.get(stream);
      if (source === undefined) throw noStream(stream);
      const signal = AbortSignal.timeout(ANSWER_MS);
      const { missing } = await nudging(rereadKeys({ store, source }, { stream, keys: [key], signal }, by));
      if (missing.length > 0) throw new ParkError("E_NOT_RESOLVABLE", `the ERP does not have ${stream}/${key}`);
    },
    confirmDeletions: async ({ stream, count }, by) => {
      const held = await heldDeletions(store, stream);
      if (held?.count !== count)
        throw new ParkError(
          "E_NOT_RESOLVABLE",
          `${held?.count ?? 0} deletions of ${stream} are held now, and you confirmed ${count}: look at them again`,
        );
      await nudging(confirmDeletions({ store, clock }, { stream, held }, by));
    },
    pause: ({ stream, hours }, by) =>
      pause({ store, clock }, { streams: [stream], until: clock.now() + hours * MS_PER_HOUR, polls: false }, by),
    resume: async (stream, by) => void (await nudging(resume({ store, clock }, [stream], by))),
  };
}

function noStream(stream: string): ParkError {
  return new ParkError("E_RECORD_UNKNOWN", `${stream} is not in the sync file`);
}
