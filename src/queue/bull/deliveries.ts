import { z } from "zod";
import { asError, type RecordId } from "#model";
import type { Logger } from "#telemetry";
import type { QueueHandlers, WakeOptions } from "../contract.ts";
import type { Jobs, Work } from "./backend.ts";
import type { PrioritySemaphore } from "./priority-semaphore.ts";

export const deliveryQueueName = "deliveries";

const jobName = "deliver";
/** Jobs without a priority come first; among the others, in the order of their wake-ups. */
const backfillPriority = 1;
/**
 * Records in one job. A job costs this process 70 µs (measured by `npm run bench` before and after), whatever it names:
 * shared by so many, next to nothing is left to save.
 */
const recordsPerJob = 32;
/** Jobs in one round trip. */
const batchSize = 100;

const writtenRecords = z.array(z.tuple([z.string(), z.string()]));

/** Adds a wake-up for each record, many in one job unless they are to be apart. */
export async function addWakeUps(
  jobs: Jobs,
  ids: readonly RecordId[],
  { backfill, apart = false }: WakeOptions,
): Promise<void> {
  const opts = backfill ? { priority: backfillPriority } : {};
  const named = chunks(ids, apart ? 1 : recordsPerJob).map((some) => ({
    name: jobName,
    data: recordsText(some),
    opts,
  }));
  for (const batch of chunks(named, batchSize)) await jobs.addBulk(batch);
}

/** Jobs that wait and run now. */
export async function countJobs(jobs: Jobs): Promise<{ waiting: number; active: number }> {
  const { waiting = 0, prioritized = 0, active = 0 } = await jobs.getJobCounts("waiting", "prioritized", "active");
  return { waiting: waiting + prioritized, active };
}

export interface DeliveryWorkDeps {
  readonly deliver: QueueHandlers["deliver"];
  readonly turns: PrioritySemaphore;
  /** Whether another delivery may begin. */
  readonly mayBegin: () => boolean;
  /** Wakes a record again whose delivery did not begin, for another process. */
  readonly passOn: (id: RecordId, options: WakeOptions) => Promise<void>;
  /** What runs shall end. */
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}

/**
 * What a worker does with a job: each of its records gets a turn, here or, where none may begin any more, in another process. Whatever the
 * handler throws is logged here and ends here.
 */
export function deliveryWork({ deliver, turns, mayBegin, passOn, stopping, logger }: DeliveryWorkDeps): Work {
  const inTurn = async (id: RecordId, backfill: boolean): Promise<void> => {
    const place = turns.take({ backfill });
    if (place !== undefined) await place;
    try {
      await (mayBegin() ? deliver(id, stopping) : passOn(id, { backfill }));
    } catch (error) {
      logger.error({ ...id, err: asError(error) }, "caught an error that a delivery threw");
    } finally {
      turns.leave();
    }
  };
  return async ({ data, priority }) => {
    let ids: RecordId[] = [];
    try {
      ids = parseRecords(data);
    } catch (error) {
      logger.error({ err: asError(error) }, "found a job that names no records");
    }
    await Promise.all(ids.map((id) => inTurn(id, priority === backfillPriority)));
  };
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));
}

/**
 * Records as one text: the data of their job. JSON escapes whatever a key may hold (colons, NUL, half a surrogate pair),
 * so every backend stores it as it is.
 */
function recordsText(ids: readonly RecordId[]): string {
  return JSON.stringify(ids.map(({ stream, key }) => [stream, key]));
}

/** @throws for a text that {@link recordsText} did not write. */
function parseRecords(text: string): RecordId[] {
  return writtenRecords.parse(JSON.parse(text)).map(([stream, key]) => ({ stream, key }));
}
