import { errorFacts, sleep, type ErrorFacts } from "#model";
import type { Queue } from "#queue";

/** How a dead queue is told from one that restarts, in milliseconds. */
export interface QueuePatience {
  readonly everyMs: number;
  readonly patienceMs: number;
}

/**
 * Resolves with the last error when the queue has not answered once for so long, counted in looks, so that a paused machine proves
 * nothing. Resolves to undefined when the signal is aborted.
 */
export async function queueGone(
  queue: Pick<Queue, "ping">,
  { everyMs, patienceMs }: QueuePatience,
  signal: AbortSignal,
): Promise<ErrorFacts | undefined> {
  let failedMs = 0;
  while (!signal.aborted) {
    await sleep(everyMs, signal);
    if (signal.aborted) return undefined;
    try {
      await queue.ping();
      failedMs = 0;
    } catch (thrown) {
      failedMs += everyMs;
      if (failedMs >= patienceMs) return errorFacts(thrown);
    }
  }
  return undefined;
}
