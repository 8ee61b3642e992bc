import { errorFacts, sleep, StopError, type StreamName } from "#model";
import type { Queue } from "#queue";
import type { Logger } from "#telemetry";

const AGAIN_MS = 1_000;

/** Each stream's poll interval, or undefined: polled one time. */
export type PollPlan = ReadonlyMap<StreamName, { readonly everyMs: number } | undefined>;

/** Gives the queue the polls of the plan; single polls are asked for until the queue takes them. */
export async function beginPolling(queue: Queue, plan: PollPlan, logger: Logger, signal: AbortSignal): Promise<void> {
  await queue.schedulePolls(new Map([...plan].flatMap(([name, schedule]) => (schedule ? [[name, schedule]] : []))));
  const once = [...plan].flatMap(([name, schedule]) => (schedule ? [] : [name]));
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
