import { sleep, type Actor } from "#model";
import { testChannels } from "#notify";
import type { Act, DaemonSystems, Given } from "#operator";
import type { ReturnLane } from "#returns";
import { version } from "#telemetry";
import type { Assembly } from "../assembly.ts";
import type { Configuration, Systems } from "../systems/systems.ts";

/** How long the page waits for a comparison before it shows that one is running, in milliseconds. */
const COMPARED_MS = 1_500;

/** Carries out the acts of people at the page of a running daemon, which takes notice at once. */
export function carryingOut(
  { settings, secrets, redaction, syncFile: { streams, returns } }: Configuration,
  parts: Systems,
  { relay, gate, holds, plans, adoption, matcher, askedPolls }: Assembly,
  lane: Pick<ReturnLane, "nudge">,
): (act: Act, given: Given, by: Actor) => Promise<unknown> {
  const { store, clock } = parts;
  const systems: DaemonSystems = {
    ...parts,
    streams,
    returns,
    matcher,
    planNow: async (stream) => (await plans.now(stream)).plan,
    compareAdoption: async () => {
      adoption.begin();
      // The comparison of a small tenant ends before the page is shown.
      await Promise.race([adoption.ended, sleep(COMPARED_MS)]);
    },
    testChannels: (by, signal) => {
      const context = { settings: settings.notify, secrets, store, clock, version, redact: redaction.redact };
      return testChannels(context, by, signal);
    },
  };
  const awake: Readonly<Record<NonNullable<Act["wakes"]>, () => unknown>> = {
    deliveries: () => relay.nudge(),
    holds: () => holds.look(),
    polls: () => askedPolls.look(),
    adoption: () => gate.decided(),
    returns: () => lane.nudge(),
  };
  return async (act, given, by) => {
    const result = await act.run(systems, given, by);
    if (act.wakes !== undefined) await awake[act.wakes]();
    return result;
  };
}
