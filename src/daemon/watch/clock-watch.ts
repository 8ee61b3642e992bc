import { errorFacts, untilNext, type Clock } from "#model";
import type { ScheduleStore } from "#store";
import type { Logger } from "#telemetry";

const LOOK_MS = 1_000;
/** Time servers move clocks by less than this; due times need not follow. */
const TOLERANCE_MS = 1_000;

/**
 * Notices that the clock was set back, by comparing it with a monotonic clock, and moves the store's due
 * times with it: a retry that was due in a minute is not due in a minute and three hours. A clock that is set forward needs
 * nothing: what waited is due.
 */
export class ClockWatch {
  readonly #store: Pick<ScheduleStore, "clockSetBack" | "latestMoment">;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(store: Pick<ScheduleStore, "clockSetBack" | "latestMoment">, clock: Clock, logger: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Looks until the signal is aborted; first at what happened while no daemon ran. */
  async run(signal: AbortSignal): Promise<void> {
    let expected = await this.#store.latestMoment();
    let lookedAt = performance.now();
    while (!signal.aborted) {
      const now = this.#clock.now();
      const byMs = expected + (performance.now() - lookedAt) - now;
      if (byMs <= TOLERANCE_MS || (await this.#setBack(Math.round(byMs)))) {
        expected = now;
        lookedAt = performance.now();
      }
      await untilNext(LOOK_MS, signal);
    }
  }

  /** False when the store could not be told; it is told again. */
  async #setBack(byMs: number): Promise<boolean> {
    try {
      await this.#store.clockSetBack(byMs);
      this.#logger.warn({ byMs }, "clock was set back");
      return true;
    } catch (thrown) {
      this.#logger.warn({ byMs, err: errorFacts(thrown) }, "due times did not follow the clock");
      return false;
    }
  }
}
