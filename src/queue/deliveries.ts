import type { RecordId } from "#model";
import type { Logger } from "#telemetry";
import type { Jobs, Work } from "./backend.ts";
import type { QueueHandlers, WakeOptions } from "./contract.ts";
import { parseRecord, recordText } from "./record-text.ts";

export const deliveryQueueName = "deliveries";

const jobName = "deliver";
/** Jobs without a priority come first; among the others, in the order of their wake-ups. */
const backfillPriority = 1;
/** Jobs in one round trip. */
const batchSize = 1_000;

/**
 * Adds a wake-up for each record. A record that has one already gets no second; one that is being delivered gets one
 * more, which comes up when the delivery has ended (`keepLastIfActive`).
 */
export async function addWakeUps(jobs: Jobs, ids: readonly RecordId[], { backfill }: WakeOptions): Promise<void> {
  for (let at = 0; at < ids.length; at += batchSize) {
    const batch = ids.slice(at, at + batchSize).map((id) => {
      const text = recordText(id);
      const deduplication = { id: text, keepLastIfActive: true };
      const opts = backfill ? { deduplication, priority: backfillPriority } : { deduplication };
      return { name: jobName, data: text, opts };
    });
    await jobs.addBulk(batch);
  }
}

/** Wake-ups that wait and run now. */
export async function countWakeUps(jobs: Jobs): Promise<{ waiting: number; active: number }> {
  const { waiting = 0, prioritized = 0, active = 0 } = await jobs.getJobCounts("waiting", "prioritized", "active");
  return { waiting: waiting + prioritized, active };
}

/** What a worker does with a wake-up. Whatever the handler throws is logged here and ends here. */
export function deliveryWork(deliver: QueueHandlers["deliver"], stopping: AbortSignal, log: Logger): Work {
  return async ({ data }) => {
    let id: RecordId | undefined;
    try {
      id = parseRecord(data);
      await deliver(id, stopping);
    } catch (error) {
      log.error({ ...id, err: asError(error) }, "caught an error that a delivery threw");
    }
  };
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
