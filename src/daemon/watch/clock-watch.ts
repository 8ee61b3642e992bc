import { errorFacts, untilNext, type Clock } from "#model";
import type { ReturnStore, ScheduleStore } from "#store";
import type { Logger } from "#telemetry";

const LOOK_MS = 1_000;
/** Clock changes to ignore, in milliseconds: time servers make smaller ones, and due times need not follow. */
const TOLERANCE_MS = 1_000;

interface ClockWatchDeps {
  readonly store: Pick<ScheduleStore, "clockSetBack" | "latestMoment"> & {
    readonly returns: Pick<ReturnStore, "clockSetBack">;
  };
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Notices that the clock was set back, by comparing it with a monotonic clock, and moves the store's due times with it. Otherwise a retry
 * due in a minute would be due in a minute and three hours. A clock that is set forward needs nothing: waiting records become due. Runs
 * until the signal is aborted, and first handles a change while no daemon ran.
 */
export async function watchClock(deps: ClockWatchDeps, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps;
  let expected = await store.latestMoment();
  let lookedAt = performance.now();
  while (!signal.aborted) {
    const now = clock.now();
    const looksAt = performance.now();
    const byMs = expected + (looksAt - lookedAt) - now;
    if (byMs <= TOLERANCE_MS || (await setBack(deps, Math.round(byMs)))) {
      expected = now;
      lookedAt = looksAt;
    }
    await untilNext(LOOK_MS, signal);
  }
}

/** Returns false when the store could not be updated; the caller tries again. */
async function setBack({ store, logger }: ClockWatchDeps, byMs: number): Promise<boolean> {
  try {
    // This one may be repeated, and goes first: the other moves times once.
    await store.returns.clockSetBack();
    await store.clockSetBack(byMs);
    logger.warn({ byMs }, "clock was set back");
    return true;
  } catch (thrown) {
    logger.warn({ byMs, err: errorFacts(thrown) }, "due times did not follow the clock");
    return false;
  }
}
