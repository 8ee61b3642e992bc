import { sleep, type StreamName } from "#model";
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
  while (!signal.aborted) {
    await untilDecided(daemon, polls, streams, signal);
    if ((await isQuiet(daemon, store, clock.now() + horizonMs)) && !(await isClaimed(daemon))) return;
    await sleep(LOOK_MS, signal);
  }
}

/** Resolves once every stream was polled, and may deliver or waits for a person. Also resolves when the signal is aborted. */
export async function untilDecided(
  daemon: Daemon,
  polls: PollsSeen,
  streams: readonly StreamName[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (polls.has(streams.filter((stream) => daemon.holds.mayPoll(stream))) && daemon.holds.isSettled) return;
    await sleep(LOOK_MS, signal);
  }
}

/** Resolves when nothing of the schedule is left to do, as {@link untilIdle} does for the whole store. */
export async function untilDelivered(
  daemon: Daemon,
  schedule: Pick<Store, "nextDueAt">,
  horizonMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && !(await isQuiet(daemon, schedule, daemon.parts.clock.now() + horizonMs)))
    await sleep(LOOK_MS, signal);
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
