import { untilHolds, type StreamName } from "#model";
import type { Observer } from "#pipeline";
import type { Store } from "#store";
import type { Daemon } from "../daemon.ts";

const LOOK_MS = 50;
/** A record that waits for another is woken by it. Its own retries exist for crashes, so they are not waited for. */
const WAITS_FOR_OTHERS = ["E_PARENT_MISSING", "E_CHILDREN_FIRST"] as const;

/** Remembers which streams' polls have ended, successfully or not, since its creation. */
export class PollsSeen implements Observer {
  readonly #seen = new Set<StreamName>();

  polled(stream: StreamName): void {
    this.#seen.add(stream);
  }

  pollFailed(stream: StreamName): void {
    this.#seen.add(stream);
  }

  has(streams: readonly StreamName[]): boolean {
    return streams.every((stream) => this.#seen.has(stream));
  }
}

/**
 * Resolves when nothing is left to do: every stream was polled, every stream may deliver or waits for a person, and no record is being
 * delivered or due within `horizonMs`, except records that wait for others. Also resolves when the signal is aborted.
 */
export async function untilIdle(
  daemon: Daemon,
  polls: PollsSeen,
  streams: readonly StreamName[],
  horizonMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock, store } = daemon.parts;
  const isIdle = async () => {
    await untilDecided(daemon, polls, streams, signal);
    return (await isQuiet(daemon, store, clock.now() + horizonMs)) && !(await isClaimed(daemon));
  };
  await untilHolds(LOOK_MS, isIdle, signal);
}

/** Resolves once every stream was polled, and may deliver or waits for a person. Also resolves when the signal is aborted. */
export async function untilDecided(
  daemon: Daemon,
  polls: PollsSeen,
  streams: readonly StreamName[],
  signal: AbortSignal,
): Promise<void> {
  const isDecided = () => polls.has(streams.filter((stream) => daemon.holds.mayPoll(stream))) && daemon.holds.isSettled;
  await untilHolds(LOOK_MS, isDecided, signal);
}

/** Resolves when nothing of the schedule is left to do, as {@link untilIdle} does for the whole store. */
export async function untilDelivered(
  daemon: Daemon,
  schedule: Pick<Store, "nextDueAt">,
  horizonMs: number,
  signal: AbortSignal,
): Promise<void> {
  await untilHolds(LOOK_MS, () => isQuiet(daemon, schedule, daemon.parts.clock.now() + horizonMs), signal);
}

async function isQuiet(daemon: Daemon, schedule: Pick<Store, "nextDueAt">, after: number): Promise<boolean> {
  if (daemon.relay.outstanding > 0) return false;
  const nextAt = await schedule.nextDueAt(daemon.holds.open(), { errors: WAITS_FOR_OTHERS, after });
  return nextAt === undefined && daemon.relay.outstanding === 0;
}

async function isClaimed(daemon: Daemon): Promise<boolean> {
  const counts = await daemon.parts.store.counts(["claimed"]);
  return [...counts.values()].some(({ claimed = 0 }) => claimed > 0);
}
