import { sleep, type StreamName } from "#model";
import type { Observer } from "#pipeline";
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
    if (
      polls.has(streams.filter((stream) => daemon.holds.mayPoll(stream))) &&
      daemon.holds.isSettled &&
      daemon.relay.outstanding === 0
    ) {
      const leftOut = { errors: WAITS_FOR_OTHERS, after: clock.now() + horizonMs };
      const isQuiet = (await store.nextDueAt(daemon.holds.open(), leftOut)) === undefined;
      if (isQuiet && daemon.relay.outstanding === 0 && !(await isClaimed(daemon))) return;
    }
    await sleep(LOOK_MS, signal);
  }
}

async function isClaimed(daemon: Daemon): Promise<boolean> {
  const counts = await daemon.parts.store.counts(["claimed"]);
  return [...counts.values()].some(({ claimed = 0 }) => claimed > 0);
}
