import { sleep, type StreamName } from "#model";
import type { Logger } from "#telemetry";
import type { Backend, JobWorker, Jobs } from "./backend.ts";
import type { QueueHandlers } from "../contract.ts";
import { asError, deliveryQueueName, deliveryWork } from "./deliveries.ts";
import type { JobQueues } from "./job-queues.ts";
import { pollConcurrency, pollQueueName, pollWork } from "./polls.ts";
import type { BackendHealth } from "./backend-health.ts";
import { PrioritySemaphore } from "./priority-semaphore.ts";

const retryPauseMs = 500;
/** How long aborted deliveries are given to come to an end, in milliseconds. */
const abortGraceMs = 500;
/** How long aborted polls are given: one may be in the middle of storing what it read. */
const pollGraceMs = 3_000;

export interface WorkersDeps {
  readonly backend: Backend;
  readonly reach: BackendHealth;
  readonly lines: JobQueues;
  readonly handlers: QueueHandlers;
  readonly concurrency: number;
  readonly isScheduled: (stream: StreamName) => boolean;
  readonly logger: Logger;
}

/** The two workers: one for deliveries, one for polls, so that neither waits for the other. */
export class Workers {
  readonly #deps: WorkersDeps;
  readonly #stopping = new AbortController();
  readonly #leaving = new AbortController();
  #workers: { readonly deliveries: JobWorker; readonly polls: JobWorker } | undefined;
  readonly #hired: Promise<void>;

  constructor(deps: WorkersDeps) {
    this.#deps = deps;
    this.#hired = this.#start();
  }

  /** Resolves when both workers take jobs. While the backend is away, that is when it is back. */
  get hired(): Promise<void> {
    return this.#hired;
  }

  /**
   * Takes no more jobs and aborts running polls at once, since what they have not stored is read again. Waits up to `graceMs`
   * for running deliveries, then aborts their signals. What has not ended then keeps nothing going.
   */
  async stop(graceMs: number): Promise<void> {
    this.#leaving.abort();
    const deliveries = this.#hired.then(() => this.#workers?.deliveries.close());
    const polls = this.#hired.then(() => this.#workers?.polls.close());
    await Promise.all([endsWithin(deliveries, graceMs), endsWithin(polls, Math.min(graceMs, pollGraceMs))]);
    this.#stopping.abort();
    await endsWithin(deliveries, abortGraceMs);
    await Promise.all([this.#workers?.deliveries.abandon(), this.#workers?.polls.abandon()]);
  }

  async #start(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      try {
        const lines = await this.#deps.lines.get();
        if (signal.aborted) return;
        this.#workers = this.#makeWorkers(lines);
        await Promise.all([this.#workers.deliveries.waitUntilReady(), this.#workers.polls.waitUntilReady()]);
        return;
      } catch (error) {
        this.#deps.logger.debug({ err: asError(error) }, "could not start the workers yet");
        await Promise.allSettled([this.#workers?.deliveries.close(), this.#workers?.polls.close()]);
        await sleep(retryPauseMs, signal);
      }
    }
  }

  #makeWorkers({ polls }: { polls: Jobs }): { deliveries: JobWorker; polls: JobWorker } {
    const { backend, handlers, concurrency, isScheduled, logger, reach } = this.#deps;
    const stopping = this.#stopping.signal;
    const heard = (error: Error) => reach.heard(error);
    const deliver = deliveryWork({
      deliver: (id, signal) => handlers.deliver(id, signal),
      turns: new PrioritySemaphore(concurrency),
      leaving: this.#leaving.signal,
      stopping,
      logger,
    });
    const poll = pollWork({
      jobs: () => polls,
      poll: (stream, signal) => handlers.poll(stream, signal),
      isScheduled,
      stopping: this.#leaving.signal,
      logger,
    });
    return {
      deliveries: backend.worker(deliveryQueueName, deliver, { concurrency, tellsLoss: false }, heard),
      polls: backend.worker(pollQueueName, poll, { concurrency: pollConcurrency, tellsLoss: true }, heard),
    };
  }
}

/** Waits for `work`, however it ends, or `ms` milliseconds. */
async function endsWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([Promise.allSettled([work]), sleep(ms, timer.signal)]);
  timer.abort();
}
