import { z } from "zod";
import { asError, type RecordId } from "#model";
import type { Logger } from "#telemetry";
import type { QueueHandlers, WakeOptions } from "../contract.ts";
import type { Jobs, Work } from "./backend.ts";
import type { PrioritySemaphore } from "./priority-semaphore.ts";

export const deliveryQueueName = "deliveries";

const jobName = "deliver";
/** BullMQ priority of a backfill. Jobs without a priority come first; the others follow in the order of their wake-ups. */
const backfillPriority = 1;
/**
 * Records per job. A job costs this process 70 µs (measured by `npm run bench`) no matter how many records it names. Shared by this many,
 * almost nothing is left to save.
 */
const recordsPerJob = 32;
/** Jobs per round trip. */
const batchSize = 100;

const writtenRecords = z.array(z.tuple([z.string(), z.string()]));

/** Adds a wake-up for each record. One job names many records, unless `apart` is set. */
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

/** The number of waiting and of running jobs. */
export async function countJobs(jobs: Jobs): Promise<{ waiting: number; active: number }> {
  const { waiting = 0, prioritized = 0, active = 0 } = await jobs.getJobCounts("waiting", "prioritized", "active");
  return { waiting: waiting + prioritized, active };
}

export interface DeliveryWorkDeps {
  readonly deliver: QueueHandlers["deliver"];
  readonly turns: PrioritySemaphore;
  /** Whether this process may start another delivery. */
  readonly mayBegin: () => boolean;
  /** Wakes a record whose delivery did not start, so that another process delivers it. */
  readonly passOn: (id: RecordId, options: WakeOptions) => Promise<void>;
  /** Aborted when running deliveries must end. */
  readonly stopping: AbortSignal;
  readonly logger: Logger;
}

/**
 * The work for a job: delivers each of its records here or, if no delivery may start any more, passes it on to another process.
 */
export function deliveryWork({ deliver, turns, mayBegin, passOn, stopping, logger }: DeliveryWorkDeps): Work {
  const inTurn = async (id: RecordId, backfill: boolean): Promise<void> => {
    const place = turns.take({ backfill });
    if (place !== undefined) await place;
    try {
      await (mayBegin() ? deliver(id, stopping) : passOn(id, { backfill }));
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
 * Encodes records as the text of their job. JSON escapes everything that a key may hold (colons, NUL, lone surrogates), so every backend
 * stores it unchanged.
 */
function recordsText(ids: readonly RecordId[]): string {
  return JSON.stringify(ids.map(({ stream, key }) => [stream, key]));
}

/** @throws if {@link recordsText} did not write the text. */
function parseRecords(text: string): RecordId[] {
  return writtenRecords.parse(JSON.parse(text)).map(([stream, key]) => ({ stream, key }));
}
