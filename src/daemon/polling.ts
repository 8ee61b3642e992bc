import { errorFacts, sleep, StopError, type StreamName } from "#model";
import type { Queue } from "#queue";
import type { Logger } from "#telemetry";

const AGAIN_MS = 1_000;

/** How streams are polled: at an interval, or one time. */
export interface PollPlan {
  readonly scheduled: ReadonlyMap<StreamName, { readonly everyMs: number }>;
  readonly once: readonly StreamName[];
}

/** Gives the queue the polls of the plan; single polls are asked for until the queue takes them. */
export async function beginPolling(queue: Queue, plan: PollPlan, logger: Logger, signal: AbortSignal): Promise<void> {
  await queue.schedulePolls(plan.scheduled);
  const once = [...plan.once];
  for (let stream = once.shift(); stream !== undefined && !signal.aborted;) {
    try {
      await queue.pollNow(stream);
      stream = once.shift();
    } catch (thrown) {
      if (thrown instanceof StopError) throw thrown;
      logger.debug({ stream, err: errorFacts(thrown) }, "poll was not taken by the queue");
      await sleep(AGAIN_MS, signal);
    }
  }
}
