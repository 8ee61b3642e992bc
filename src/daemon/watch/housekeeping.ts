import { errorFacts, sleep, type Clock } from "#model";
import { historyDays, type HistoryStore, type MaintenanceStore, type WatchStore } from "#store";
import type { Logger } from "#telemetry";

const DAY_MS = 24 * 60 * 60_000;
const EVERY_MS = 60 * 60_000;
/** Requests and answers of watched records: long enough to be looked at, short for what they hold. */
const EXCHANGE_DAYS = 7;

type HousekeepingStore = Pick<MaintenanceStore, "pruneAudit"> & {
  readonly history: Pick<HistoryStore, "pruneHistory">;
  readonly watches: Pick<WatchStore, "pruneExchanges">;
};

/** Background work: deletes old history. */
export class Housekeeping {
  readonly #store: HousekeepingStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #keepDays: number;

  constructor(store: HousekeepingStore, clock: Clock, logger: Logger, keepDays: number) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#keepDays = keepDays;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const count = await this.#store.pruneAudit(this.#clock.now() - this.#keepDays * DAY_MS);
        if (count > 0) this.#logger.info({ count }, "old history was removed");
        await this.#store.watches.pruneExchanges(this.#clock.now() - EXCHANGE_DAYS * DAY_MS);
        await this.#store.history.pruneHistory(this.#clock.now() - historyDays * DAY_MS);
      } catch (thrown) {
        this.#logger.warn({ err: errorFacts(thrown) }, "old history was not removed");
      }
      await sleep(EVERY_MS, signal);
    }
  }
}
