import { DAY_MS, errorFacts, repeatedly, type Clock } from "#model";
import { historyDays, type MaintenanceStore, type ReturnStore } from "#store";
import type { Logger } from "#telemetry";

const EVERY_MS = 60 * 60_000;
/**
 * How long requests and answers of watched records are kept, in days: long enough for people to read them, short because of their contents.
 */
const EXCHANGE_DAYS = 7;

/** How long carried-out deletions are kept, in days: longer than the day for which they are counted. */
const DELETION_DAYS = 2;

type HousekeepingStore = Pick<MaintenanceStore, "prune"> & {
  readonly returns: Pick<ReturnStore, "prune">;
};

interface HousekeepingDeps {
  readonly store: HousekeepingStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keepDays: number;
}

/** Deletes old history in the background. */
export async function runHousekeeping(
  { store, clock, logger, keepDays }: HousekeepingDeps,
  signal: AbortSignal,
): Promise<void> {
  const clean = async () => {
    try {
      const before = clock.now() - keepDays * DAY_MS;
      const count = (await store.prune("audit", before)) + (await store.returns.prune(before));
      if (count > 0) logger.info({ count }, "old history was removed");
      await store.prune("deletions", clock.now() - DELETION_DAYS * DAY_MS);
      await store.prune("exchanges", clock.now() - EXCHANGE_DAYS * DAY_MS);
      await store.prune("history", clock.now() - historyDays * DAY_MS);
    } catch (thrown) {
      logger.warn({ err: errorFacts(thrown) }, "old history was not removed");
    }
  };
  await repeatedly(EVERY_MS, clean, signal);
}
